# Completion of fastpath(1) for fish.

# The words before the cursor, without fastpath itself.
function __fastpath_words
    set -l words (commandline -opc)
    string join -- \n $words[2..-1]
end

function __fastpath_no_subcommand
    test (count (__fastpath_words)) -eq 0
end

# How many words, fastpath among them, stand before the command to be run; fails where none is to be run.
function __fastpath_before_command
    set -l words (__fastpath_words)
    set -l argument ''
    contains -- "$words[1]" run audit bench; or return 1
    for at in (seq 2 (count $words))
        if test -n "$argument"
            set argument ''
        else if test "$words[$at]" = --
            echo (math $at + 1)
            return 0
        else if contains -- $words[$at] -o --profile --html --folded --json --pairs --scope --suite
            # (audit's --json takes none.)
            test "$words[1] $words[$at]" = 'audit --json'; or set argument $words[$at]
        else if test "$words[1]" != bench; and not string match -q -- '-*' $words[$at]
            echo $at
            return 0
        end
    end
    # The word at the cursor is the command's name.
    test "$words[1]" != bench -a -z "$argument"; and not string match -q -- '-*' (commandline -ct)
    and echo (math (count $words) + 1)
end

# Is this an option, or a word, of subcommand $argv?
function __fastpath_in
    contains -- (__fastpath_words)[1] $argv; and not __fastpath_before_command >/dev/null
end

# The command's completion of its own.
function __fastpath_command
    set -l words (commandline -opc)
    set -l before (__fastpath_before_command); or return
    set -l line (string escape -- $words[(math $before + 1)..-1]) (commandline -ct)
    complete -C (string join ' ' -- $line)
end

function __fastpath_workloads
    set -l words (commandline -opc)
    $words[1] bench --list 2>/dev/null | string replace -r '  +' \t
end

complete -c fastpath -f
complete -c fastpath -n __fastpath_no_subcommand -s h -l help -d 'Print a summary'
complete -c fastpath -n __fastpath_no_subcommand -s V -l version -d 'Print the version'
for help in __fastpath_no_subcommand '__fastpath_in help'
    complete -c fastpath -n $help -a run -d 'Run a command and all it starts with cached lookups'
    complete -c fastpath -n $help -a audit -d 'What a command and all it starts ask the kernel of paths'
    complete -c fastpath -n $help -a bench -d 'Measure workloads, or a command, without and with cached lookups'
    complete -c fastpath -n $help -a report -d 'Add up the statistics of many processes and runs'
    complete -c fastpath -n $help -a doctor -d 'What works here, and what to do about what does not'
    complete -c fastpath -n $help -a help -d 'What a subcommand does'
end
complete -c fastpath -n '__fastpath_in run audit bench report doctor' -s h -l help -d 'Print a summary'
complete -c fastpath -n __fastpath_before_command -a '(__fastpath_command)'

complete -c fastpath -n '__fastpath_in run' -l stats -d 'Afterwards, what the whole tree did'
complete -c fastpath -n '__fastpath_in run' -a '--stats=text --stats=json'
complete -c fastpath -n '__fastpath_in run' -l verify -d 'Ask the kernel too on every answer'
complete -c fastpath -n '__fastpath_in run' -l profile -rF -d 'Append the callers of avoidable lookups'

complete -c fastpath -n '__fastpath_in audit' -l json -d 'One JSON object instead of text'
complete -c fastpath -n '__fastpath_in audit' -s o -rF -d 'Write the report there'
complete -c fastpath -n '__fastpath_in audit' -l html -rF -d 'Write a page as well'
complete -c fastpath -n '__fastpath_in audit' -s k -d 'The call stacks of lookups that fail'
complete -c fastpath -n '__fastpath_in audit' -l folded -rF -d 'Write these stacks there'

complete -c fastpath -n '__fastpath_in bench' -l list -d 'The workloads'
complete -c fastpath -n '__fastpath_in bench' -l quick -d 'Fewer pairs'
complete -c fastpath -n '__fastpath_in bench' -l pairs -x -d 'Pairs of runs for each workload'
complete -c fastpath -n '__fastpath_in bench' -l scope -xa 'tree process' -d 'Tree or process'
complete -c fastpath -n '__fastpath_in bench' -l suite -xa '(__fish_complete_directories)' -d 'The workloads in a directory too'
complete -c fastpath -n '__fastpath_in bench' -l json -rF -d 'Write all that was measured there'
complete -c fastpath -n '__fastpath_in bench' -l html -rF -d 'Write a page there'
complete -c fastpath -n '__fastpath_in bench' -l output -d "Let the command's output through"
complete -c fastpath -n '__fastpath_in bench' -a '(__fastpath_workloads)'

complete -c fastpath -n '__fastpath_in report' -l json -d 'One JSON object instead of text'
complete -c fastpath -n '__fastpath_in report' -l html -rF -d 'A page instead of text'
complete -c fastpath -n '__fastpath_in report' -l top -x -d 'Rows of each table'
complete -c fastpath -n '__fastpath_in report' -F

complete -c fastpath -n '__fastpath_in doctor' -l json -d 'One JSON object instead of text'
complete -c fastpath -n '__fastpath_in doctor' -a '(__fish_complete_directories)'
