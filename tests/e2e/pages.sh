#!/bin/bash
# pages.sh - HTML pages in a real browser: a page with everything in it, hostile names too, made by
# progs/page. What the browser finds is written into the document by a probe, a script appended to a
# copy of the page without its policy, and read back with --dump-dom. E2E_SHOTS=DIR keeps pictures.
. "$(dirname "$0")/lib.sh"
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
if [ -z "$browser" ]; then
	skip pages "chromium"
	finish
fi

# browse URL-SUFFIX OPTION...: the document after its scripts; what it said is in $base/said.
browse()
{
	local url=$1
	shift
	mkdir -p "$base/home"
	HOME=$base/home timeout -k 5 90 "$browser" --headless --no-sandbox --disable-gpu --disable-quic --no-first-run \
		--disable-background-networking --disable-component-update --disable-sync --disable-dev-shm-usage \
		--user-data-dir="$base/profile" --enable-logging=stderr --virtual-time-budget=3000 \
		"$@" "file://$url" 2>"$base/said" 8>&- 9>&- </dev/null
}
# probed NAME SCRIPT: a copy of the page that runs SCRIPT once it is there; it calls tell(TEXT).
probed()
{
	{
		sed '/Content-Security-Policy/d' "$page"
		echo "<script>const tell=t=>{document.documentElement.dataset.told=t;parent.postMessage(t,'*')}"
		echo "addEventListener('load',()=>{$2});</script>"
	} >"$base/$1.html"
}
told() { grep -o 'data-told="[^"]*"' | head -n 1 | sed 's/^data-told="//; s/"$//'; }
page=$base/page.html
if ! "$progs/page" "$page"; then
	fail pages "there is no page"
	finish
fi
order="tell([...document.querySelectorAll('tbody')[0].rows].map(r=>r.cells[1].textContent.replace(/\\s.*/,'')).join(' '))"
given='70.0 9.0 1,000.0 – 200.0 8.0 3,000.5'

if wanted a_page_loads_without_an_error; then
	dom=$(browse "$page" --dump-dom)
	why=$(grep CONSOLE "$base/said")
	[[ $dom == *'<footer>fastpath '* ]] || why+="it ends early: $(tail -c 300 <<<"$dom")"
	verdict a_page_loads_without_an_error "$why"
fi
if wanted hostile_names_are_shown_and_not_obeyed; then
	probed hostile "tell([document.title.endsWith('>'),document.images.length,document.scripts.length,
		document.querySelectorAll('main svg[onload],b').length,document.querySelectorAll('tbody')[0].rows.length,
		document.body.textContent.includes('<img src=x onerror=')].join(' '))"
	why=$(is "what the browser made of it" "$(browse "$base/hostile.html" --dump-dom | told)" 'true 0 2 0 7 true')
	why+=$(grep CONSOLE "$base/said")
	LC_ALL=C grep -q $'[\001-\010\013-\037\177]' "$page" && why+="control characters; "
	verdict hostile_names_are_shown_and_not_obeyed "$why"
fi
if wanted a_script_that_got_into_a_page_would_not_run; then
	sed "s,</main>,<script>document.title='obeyed'</script><p style=\"color:red\" onclick=\"x()\"></p>&," "$page" >"$base/got_in.html"
	dom=$(browse "$base/got_in.html" --dump-dom)
	why=
	[[ $dom != *'<title>obeyed'* ]] || why="it ran; "
	grep -q "CONSOLE.*script-src 'nonce-" "$base/said" || why+="nobody complained: $(tail -n 2 "$base/said")"
	verdict a_script_that_got_into_a_page_would_not_run "$why"
fi
if wanted a_page_asks_for_nothing; then
	sed 's,</main>,<img src="http://127.0.0.1:9/x"><link rel=stylesheet href="http://127.0.0.1:9/y">&,' "$page" >"$base/asks.html"
	browse "$base/asks.html" --dump-dom >/dev/null
	why=$(is "refused requests" "$(grep -c "CONSOLE.*Content Security Policy" "$base/said")" 2)
	grep -q -i -E '(src|href)=|url\(|@import|https?:' <(grep -v -F 'onerror' "$page") && why+="it names something outside"
	verdict a_page_asks_for_nothing "$why"
fi
if wanted without_a_script_a_table_is_as_given; then
	sed 's/<script nonce="[^"]*"/<script nonce="other"/' "$page" >"$base/scriptless.html" # the policy forbids it now
	dom=$(browse "$base/scriptless.html" --dump-dom)
	why=$(is "the order" "$(grep -o 'data-v="[^"]*"' <<<"$dom")" "$(grep -o 'data-v="[^"]*"' "$page")")
	[[ $dom != *'<button'* ]] || why+="there is a button that does nothing"
	probed given "$order"
	why+=$(is "the order with a script" "$(browse "$base/given.html" --dump-dom | told)" "$given")
	verdict without_a_script_a_table_is_as_given "$why"
fi
if wanted a_click_sorts_by_value_and_another_reverses; then
	probed click "document.querySelectorAll('th button')[1].click();$order"
	why=$(is "after a click" "$(browse "$base/click.html" --dump-dom | told)" '3,000.5 1,000.0 200.0 70.0 9.0 8.0 –')
	probed twice "document.querySelectorAll('th button')[1].click();document.querySelectorAll('th button')[1].click();$order"
	why+=$(is "after two" "$(browse "$base/twice.html" --dump-dom | told)" '8.0 9.0 70.0 200.0 1,000.0 3,000.5 –')
	why+=$(grep CONSOLE "$base/said")
	verdict a_click_sorts_by_value_and_another_reverses "$why"
fi
if wanted an_address_can_say_how_a_table_is_sorted; then
	why=
	for hash in sort=5 sort=1.5; do
		dom=$(browse "$page#$hash" --dump-dom)
		[[ $dom =~ aria-sort=\"descending\"[^\>]*\>\<button[^\>]*\>ratio ]] || why+="$hash: not sorted; "
	done
	for hash in sort=99 sort=9.1 sort=0 sort=x; do
		dom=$(browse "$page#$hash" --dump-dom)
		[[ $dom != *'aria-sort="'* ]] || why+="$hash: sorted; "
		why+=$(grep CONSOLE "$base/said")
	done
	verdict an_address_can_say_how_a_table_is_sorted "$why"
fi
if wanted a_flame_graph_zooms_and_tells; then
	probed zoom "const f=document.querySelector('.flame'),w=()=>Math.round(f.getBoundingClientRect().width),
		ld=[...f.querySelectorAll('title')].find(t=>t.textContent.startsWith('ld:')).parentElement,before=w(),
		click=()=>ld.querySelector('rect').dispatchEvent(new MouseEvent('click',{bubbles:true}));
		ld.dispatchEvent(new PointerEvent('pointerover',{bubbles:true}));const said=f.parentElement.nextElementSibling.textContent;
		click();const during=w();click();tell([during>4*before,w()===before,said].join(' '))"
	why=$(is zoom "$(browse "$base/zoom.html" --dump-dom | told)" 'true true ld: 1,200&nbsp;ms (10.2&nbsp;%)')
	verdict a_flame_graph_zooms_and_tells "$why"
fi
if wanted nothing_is_wider_than_a_phone; then
	probed width "const d=document.documentElement;tell(innerWidth+' '+Math.max(d.scrollWidth,document.body.scrollWidth))"
	# A browser's window has a least width, a frame has none.
	cat >"$base/phone.html" <<-END
		<!DOCTYPE html><script>addEventListener('message',e=>document.documentElement.dataset.told=e.data)</script>
		<iframe src="width.html" style="width:360px;height:640px;border:0" scrolling="no"></iframe>
	END
	why=$(is "the width of the window, of the page" "$(browse "$base/phone.html" --dump-dom | told)" '360 360')
	verdict nothing_is_wider_than_a_phone "$why"
fi
if wanted colours_follow_the_viewers_preference; then
	probed colour "tell(getComputedStyle(document.body).backgroundColor)"
	dark=$(browse "$base/colour.html" --dump-dom --blink-settings=preferredColorScheme=0 | told)
	light=$(browse "$base/colour.html" --dump-dom --blink-settings=preferredColorScheme=1 | told)
	verdict colours_follow_the_viewers_preference "$(is dark "$dark" 'rgb(20, 23, 27)'; is light "$light" 'rgb(255, 255, 255)')"
fi
if wanted a_page_can_be_printed; then
	browse "$page" --print-to-pdf="$base/page.pdf" >/dev/null
	verdict a_page_can_be_printed "$(is "the beginning" "$(head -c 5 "$base/page.pdf" 2>&1)" %PDF-)"
fi

if [ -n "${E2E_SHOTS:-}" ]; then
	mkdir -p "$E2E_SHOTS"
	browse "$page" --screenshot="$E2E_SHOTS/desk.png" --window-size=1200,1000 >/dev/null
	browse "$page#sort=2" --screenshot="$E2E_SHOTS/phone.png" --window-size=360,1400 >/dev/null
	browse "$page" --screenshot="$E2E_SHOTS/dark.png" --window-size=1200,1000 --blink-settings=preferredColorScheme=0 >/dev/null
	browse "$page" --print-to-pdf="$E2E_SHOTS/page.pdf" >/dev/null
fi
finish
