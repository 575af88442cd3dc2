# served: node
# require and import of what is not there and what appears, fs in its three forms, child processes of every kind, worker threads.
prepare()
{
	mkdir -p node_modules/present a/b/c
	echo 'module.exports = 7' >node_modules/present/index.js
	echo 'export default 8' >module.mjs
	cat >a/b/c/main.js <<'J'
const fs = require('fs'), path = require('path'), cp = require('child_process'), os = require('os');
const { Worker, isMainThread } = require('worker_threads');
const here = path.resolve(__dirname, '../../..'), none = here + '/none';
function attempt(f) { try { return f(); } catch (e) { return e.code + ' ' + String(e.message).split('\n')[0]; } }
const say = (...w) => fs.writeSync(1, w.map(String).join(' ') + '\n');
if (process.argv[2] === 'child') { say('child', fs.existsSync(none)); process.send('message'); process.disconnect(); return; }
if (!isMainThread) { say('worker', fs.existsSync(none)); return; }
async function main() {
	for (let i = 0; i < 3; i++) say(attempt(() => require('no-such-module')), require('present'), attempt(() => require(none)));
	fs.mkdirSync(here + '/a/node_modules'); fs.writeFileSync(here + '/a/node_modules/late.js', 'module.exports = 9');
	say(attempt(() => require('late')));
	for (let i = 0; i < 20; i++) fs.existsSync(none + i % 3);
	for (const f of ['existsSync', 'statSync', 'lstatSync', 'readFileSync', 'readdirSync', 'accessSync', 'openSync', 'readlinkSync', 'realpathSync', 'rmdirSync', 'opendirSync'])
		for (const p of [none, none + '/x', here + '/module.mjs/x', none + '/../module.mjs', ''])
			say(f, attempt(() => typeof fs[f](p) === 'boolean' ? fs[f](p) : 'ok'));
	say(attempt(() => fs.realpathSync.native(none)));
	for (let i = 0; i < 3; i++) {
		say(fs.existsSync(here + '/appears')); fs.writeFileSync(here + '/appears', ''); say(fs.existsSync(here + '/appears')); fs.unlinkSync(here + '/appears');
	}
	for (const p of [none, here + '/module.mjs']) say(await fs.promises.stat(p).then(() => 'ok', e => e.code));
	say(await Promise.all([...Array(30).keys()].map(i => fs.promises.access(none + i).then(() => 1, () => 0))));
	say(await import(here + '/module.mjs').then(m => m.default)); say(await import(none + '.mjs').then(() => 1, e => e.code));
	say(cp.execSync('[ -e /none ] || echo shell')); say(attempt(() => cp.execFileSync('no-such-command', { stdio: 'pipe' })));
	say(cp.spawnSync('sh', ['-c', 'exit 3']).status, attempt(() => cp.spawnSync(none).error.code));
	await new Promise(r => cp.spawn(none).on('error', e => { say(e.code, e.syscall.replace(here, '')); r(); }));
	await new Promise(r => cp.fork(__filename, ['child']).on('message', m => say(m)).on('exit', c => { say(c); r(); }));
	await new Promise(r => new Worker(__filename).on('exit', c => { say(c); r(); }));
	process.exitCode = 5;
}
main();
J
}
run() { node "$PWD/a/b/c/main.js"; echo "status $?"; node "$PWD/none.js" 2>&1 | head -n 4 | tail -n 3; node -e 'require("fs").readFile("/none", e => { console.log(e.message); process.abort })'; }
"$1"
