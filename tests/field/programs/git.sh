# served: git.*
# git from init to gc: commits, branches, merges with a conflict, rebase, stash, worktrees, submodules, clones, hooks,
# bisect run, grep, aliases, commands that are not there. What it asks absolutely: configuration, PATH, templates, objects elsewhere.
prepare() { :; }
run()
{
	export GIT_AUTHOR_DATE='2020-01-02T03:04:05Z' GIT_COMMITTER_DATE='2020-01-02T03:04:05Z' GIT_CONFIG_NOSYSTEM=1
	PATH=$PWD/bin-1:$PWD/bin-2:$PATH
	git config --global user.name Field; git config --global user.email field@example.org
	git config --global init.defaultBranch main; git config --global protocol.file.allow always
	git config --global gc.auto 0; git config --global advice.detachedHead false
	git init -q "$PWD/one" && cd one
	for i in $(seq 10); do echo "line $i" >file-$i; git add . && git commit -q -m "commit $i"; done
	git log --oneline | cat
	git checkout -q -b side HEAD~3 && echo side >file-9 && git add . && git commit -q -m side
	git checkout -q main && git merge side; echo "status $?"
	git status --short; git checkout --theirs file-9 && git add . && git commit -q -m merged
	git checkout -q side && git rebase -q main; git log --oneline -3 | cat
	echo dirty >file-1; git stash -q; git stash list; git stash pop
	git checkout -q -f main
	git worktree add "$HOME/tree" side; (cd "$HOME/tree" && git status); git worktree list
	printf '#!/bin/sh\necho hook; [ -e "$HOME/none" ] || echo none\n' >.git/hooks/pre-commit && chmod +x .git/hooks/pre-commit
	git commit --allow-empty -q -m hooked
	git clone -q "$HOME/one" "$HOME/two"; git clone -q --shared "file://$HOME/one" "$HOME/three"; git -C "$HOME/three" rev-parse HEAD
	git clone "$HOME/none" "$HOME/four"; echo "status $?"
	git submodule --quiet add "$HOME/two" module; git commit -q -m submodule; git submodule status
	git bisect start -q HEAD~1 HEAD~9 2>&1; git bisect run sh -c '[ ! -e file-5 ]' 2>&1 | tail -n 3; git bisect reset -q
	git no-such-command; echo "status $?"
	git config alias.say '!echo alias; command -v nothing-here'; git say; echo "status $?"
	mkdir -p "$HOME/bin-1" && printf '#!/bin/sh\necho external $#\n' >"$HOME/bin-1/git-late" && chmod +x "$HOME/bin-1/git-late" && git late a b
	git grep -c line | tail -n 2; git gc -q; git fsck 2>&1; git count-objects
	git archive HEAD | sha256sum; git diff --stat HEAD~5 HEAD | cat; git blame -s file-3 | cat
	git format-patch -q -2 -o "$HOME/patches" HEAD~2; ls "$HOME/patches"; git -C "$HOME/none" log; echo "status $?"
	git -C / status; echo "status $?"; git apply "$HOME/none.patch"; echo "status $?"
}
"$1"
