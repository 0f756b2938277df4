#!/bin/sh
# What this project remembers, without agentsup: the units of `agentsup restore`, in its order. Nothing is written.
#
#     sh .agent/restore.sh          executables of init.d are named, not run
#     sh .agent/restore.sh --run    they are run, too: only for a person who has read them
#
# What only agentsup knows is missing: approvals (so nothing is [HARD]), what git says, and a budget of tokens. Secrets
# of the main shapes are removed from all that is printed, --run or not; agentsup knows many more shapes.
# shellcheck disable=SC2016,SC2089,SC2090 # the $ in single quotes are awk's, and quotes in texts are texts

header=@header@
legend=@legend@
nothing=@nothing@
unreadable=@unreadable@
large=@parts_left_out@
not_run=@not_run@
failed=@failed@
no_include=@no_include@
usage=@usage@
help=@help@
unknown=@unknown@
cut=@cut@
void=@void_hard@
more_completed=@completed_more@
contract=@contract@
engram=@engram@
recite=@recite@
wait=@wait@
labels=@labels@

# Where things are kept, and by which names files say what: `what name|name|…`.
places=@places@
defaults=@defaults@
four=@four@
state_names=@state_names@
task_names=@task_names@
decision_keys=@decision_keys@
decision_titles=@decision_titles@
confidences=@confidences@
statuses=@statuses@
nothings=@nothings@
noise=@noise@

set -uf
unset CDPATH
nl='
'
tab=$(printf '\t')
IFS=" $tab$nl"
LC_ALL=C
most=262144
lines_most=60
export LC_ALL lines_most header engram cut void labels more_completed contract
export state_names task_names decision_keys decision_titles confidences statuses nothings

run=
for word in "$@"; do
    case $word in
        --run) run=1 ;;
        -h | --help)
            printf '%s\n%s\n' "$usage" "$help"
            exit 0
            ;;
        *)
            printf '%s\n%s\n' "$unknown $(printf '%s' "$word" | tr '\000-\037\177' '?')" "$usage" >&2
            exit 2
            ;;
    esac
done
here=$(dirname -- "$0")
if [ -L "$here" ] || ! cd -- "$here/.." || [ ! -d .agent ] || [ -L .agent ]; then
    printf '%s\n' "$nothing" >&2
    exit 1
fi

# ---- files ----

# Whether a link is on the way to a file.
behind_link() {
    way=$1
    while :; do
        case $way in
            */*) way=${way%/*} ;;
            *) return 1 ;;
        esac
        [ ! -L "$way" ] || return 0
    done
}

# Whether there is anything of that name.
there() { { [ -e "$1" ] || [ -L "$1" ]; } && ! behind_link "$1"; }

# Whether it is a regular file that may be read.
plain() { [ -f "$1" ] && [ -r "$1" ] && [ ! -L "$1" ] && ! behind_link "$1"; }

# Its bytes; of a large one the first whole lines.
bytes() {
    if [ "$(wc -c <"$1")" -le "$most" ]; then cat <"$1"; else head -c "$most" <"$1" | sed '$d'; fi
}

# Whether it is text: UTF-8 without NULs.
is_text() {
    plain "$1" || return 1
    bytes "$1" | tr '\000' '\377' | awk '{
        gsub(/[\302-\337][\200-\277]/, ".")
        gsub(/[\340-\357][\200-\277][\200-\277]/, ".")
        gsub(/[\360-\364][\200-\277][\200-\277][\200-\277]/, ".")
        if ($0 ~ /[\200-\377]/) { bad = 1; exit }
    } END { exit bad }'
}

# Its text without control characters, line ends unified.
text() {
    bytes "$1" | tr -d '\000-\010\013\014\016-\037\177' | awk '
        NR == 1 { sub(/^\357\273\277/, "") }
        { sub(/\r$/, ""); gsub(/\r/, "\n"); gsub(/\302[\200-\237]/, ""); print }'
}

# A name as one word: whoever writes a repository chooses it, and it stands among the lines of this script.
word='
function word(s,   plain) {
    gsub(/\302[\200-\277]|\341(\205[\237\240]|\232\200|\240\216)|\342[\200-\277][\200-\277]/, "?", s)
    gsub(/\343(\200[\200-\204\210-\277]|\205\244)|\357(\270[\200-\277]|\276\240|\277[\240-\277])/, "?", s)
    gsub(/\357(\274[\200-\217\232-\240\273-\277]|\275[\200\233-\245])|\360\237[\200-\277][\200-\277]/, "?", s)
    gsub(/[^A-Za-z0-9_.\/@+\200-\377-]+/, "?", s)
    gsub(/\?\?+/, "?", s)
    gsub(/---+/, "-", s)
    plain = s
    gsub(/[\200-\277]/, "", plain)
    if (length(plain) <= 72) return s
    for (; length(plain) > 71; plain = substr(plain, 2)) sub(/[^\200-\277][\200-\277]*$/, "", s)
    return s "…"
}
'
named() {
    case $1 in
        *--* | *[!a-zA-Z0-9._/-]* | ??????????????????????????????????????????????????????????*)
            printf '%s' "$1" | tr '\n' '?' | awk "$word"'{ print word($0) }' ;;
        *) printf '%s' "$1" ;;
    esac
}

# A sentence with its {names} filled in.
fill() {
    said=$1
    shift
    while [ $# -gt 1 ]; do
        name="{$1}"
        case $said in *"$name"*) said=${said%%"$name"*}$2${said#*"$name"} ;; esac
        shift 2
    done
    printf '%s\n' "$said"
}

# What is to be said about a file that is not wholly read; fails where nothing of it is.
complaint() {
    if ! is_text "$1"; then
        fill "$unreadable" path "$(named "$1")"
        return 1
    fi
    [ "$(wc -c <"$1")" -le "$most" ] || fill "$large" path "$(named "$1")"
}

# The entry of a list: what stands behind its name.
entry() {
    IFS=$nl
    for line in $1; do
        case $line in "$2 "*) printf '%s\n' "${line#* }" ;; esac
    done
}

# ---- where things are ----

is_name() {
    case $1 in .* | *[[:cntrl:]@+]*) return 1 ;; esac
    [ "$(named "$1")" = "$1" ] || return 1
    [ "$(printf '%s' "$1" | tr -d '\200-\277' | wc -c)" -le 40 ] || return 1
    [ -d "$2/$1" ] && [ ! -L "$2/$1" ]
}

tasks_in() {
    [ -d "$1" ] && [ ! -L "$1" ] || return 0
    set +f
    for each in "$1"/*; do
        name=${each##*/}
        is_name "$name" "$1" || continue
        if [ "$1" = tasks ]; then
            any=
            for file in TASK.md STATE.md task.json progress.json CONTRACT.md DECISIONS.md; do
                ! there "$each/$file" || any=1
            done
            [ -n "$any" ] || continue
        fi
        printf '%s\t%s\n' "$name" "$each"
    done
    set -f
}

# The current task's name and folder: the chosen one, else the first by name.
current_task() {
    chosen=
    if is_text .agent/state/current-task; then
        chosen=$(text .agent/state/current-task | sed 's/^[[:blank:]]*//; s/[[:blank:]]*$//; /./!d' | sed -n 1p)
    fi
    { tasks_in .agent/tasks; tasks_in tasks; } | sort -s -t "$tab" -k 1,1 | chosen=$chosen awk -F '\t' '
        NR == 1 { first = $0 }
        $1 == ENVIRON["chosen"] && !found { found = $0 }
        END { if (NR) print found ? found : first }'
}

# Whether a file of init.d is empty: that switches a unit off.
is_empty() { is_text "$1" && [ -z "$(text "$1" | tr -d ' \t\n')" ]; }

counts() {
    case $1 in
        task.json | progress.json) is_text "$1" && text "$1" | grep -q '"current_task"' ;;
        .agent/init.d/*) ! is_empty "$1" ;;
    esac
}

# Sets `found` to the file in which a thing is kept; empty without one.
look_for() {
    found=
    if [ -n "$folder" ]; then
        for own_name in $(entry "$four" "$1"); do
            if there "$folder/$own_name"; then
                found=$folder/$own_name
                return
            fi
        done
        case $1 in task | state) return ;; esac
    fi
    for place in $(entry "$places" "$1"); do
        if there "$place" && counts "$place"; then
            found=$place
            return
        fi
    done
    # Behind a link there may be one, which is not read.
    place=$(entry "$defaults" "$1")
    if behind_link "$place"; then found=$place; fi
}

# The same, once all have been looked for.
find_place() { eval "found=\$place_of_$1"; }

# ---- reading what they say ----

# Rows of a file in row[1..n]; kind: 1 code between fences, 2 comments. The main part stands in END.
rows='
{ row[++n] = $0 }
function bare(s) { sub(/^[ \t]+/, "", s); sub(/[ \t]+$/, "", s); return s }
function put(s, name, value,   at) {
    name = "{" name "}"
    at = index(s, name)
    return at ? substr(s, 1, at - 1) value substr(s, at + length(name)) : s
}
function table(text, into,   list, count, i, names, many, j, at) {
    count = split(text, list, "\n")
    for (i = 1; i <= count; i++) {
        at = index(list[i], " ")
        many = split(substr(list[i], at + 1), names, "|")
        for (j = 1; j <= many; j++) into[names[j]] = substr(list[i], 1, at - 1)
    }
}
function fence(s,   c, l) {
    s = bare(s)
    c = substr(s, 1, 1)
    if (c != "`" && c != "~") return 0
    for (l = 1; substr(s, l + 1, 1) == c; l++);
    behind = bare(substr(s, l + 1))
    return l < 3 || (c == "`" && index(behind, "`")) ? 0 : l
}
function marked(   i, j, k, l, c) {
    for (i = 1; i <= n; i++) {
        j = 0
        if (bare(row[i]) ~ /^<!--/) {
            j = i
            if (!index(substr(bare(row[i]), 5), "-->")) {
                for (j = i + 1; j <= n && !endless && !index(row[j], "-->"); j++);
                if (j > n || endless) { endless = 1; j = i }
            }
            c = 2
        } else if ((l = fence(row[i]))) {
            c = substr(bare(row[i]), 1, 1)
            # What nothing closes is not looked for again.
            if (c in open && l >= open[c]) continue
            for (j = i + 1; j <= n; j++)
                if (fence(row[j]) >= l && behind == "" && substr(bare(row[j]), 1, 1) == c) break
            if (j > n) { open[c] = l; j = 0 }
            c = 1
        }
        for (k = i; k <= j; k++) kind[k] = c
        if (j) i = j
    }
}
function colon(s) { return match(s, /:|：/) ? RSTART : 0 }
function unbulleted(s) {
    s = bare(s)
    bullet = match(s, /^([-*+]|[0-9][0-9]?[0-9]?[0-9]?[.)])([ \t]+|$)/)
    if (!bullet) bullet = match(s, /^(•|[0-9][0-9]?[0-9]?[0-9]?(、|．))[ \t]*/)
    return bullet ? substr(s, RLENGTH + 1) : s
}
function confidence(word) { word = tolower(bare(word)); return word in trusts ? trusts[word] : "" }
function tagged(s) {
    tag = ""
    if (match(s, /^(\[|［|【)[^]［【]*(\]|］|】)/)) {
        tag = substr(s, RSTART, RLENGTH)
        s = bare(substr(s, RLENGTH + 1))
        gsub(/\[|\]|［|］|【|】/, "", tag)
    }
    return s
}
'

# Prose: everything but comments and blank lines.
prose='
END {
    marked()
    for (i = 1; i <= n; i++) {
        sub(/[ \t]+$/, "", row[i])
        if (kind[i] == 2 || row[i] == "") continue
        if (++count <= most) print row[i]
    }
    if (count > most) print put(put(ENVIRON["cut"], "count", count - most), "path", ENVIRON["at"])
}'

identity='
END {
    marked()
    for (i = 1; i <= n; i++) {
        s = unbulleted(row[i])
        if (kind[i] || !(at = colon(s))) continue
        length_of = RLENGTH
        key = substr(s, 1, at - 1)
        value = substr(s, at + length_of)
        if (sub(/^(\*\*|`)/, "", key) && !sub(/(\*\*|`)$/, "", key)) sub(/^(\*\*|`)/, "", value)
        key = bare(key)
        if (key == "" || length(key) > 120 || key ~ /^[][~()]|[`*#>|<,;!?]|，|；|。|！|？|^（|^）/) continue
        if (substr(value, 1, 2) == "//" || substr(value, 1, 1) ~ /[\\:]/ || split(key, words, /[ \t]+/) > 3) continue
        print key ": " bare(value)
    }
}'

# Sections of STATE.md and TASK.md: `section<TAB>item` a line.
sections='
function named(s,   many, parts, i) {
    gsub(/\([^()]*\)|（[^（）]*）/, " ", s)
    s = cleaned(s)
    if (s in names) return names[s]
    gsub(/／|｜|·|•/, "/", s)
    many = split(s, parts, /[\/|&]/)
    for (i = 1; i <= many && many > 1; i++) if (cleaned(parts[i]) in names) return names[cleaned(parts[i])]
    return ""
}
function cleaned(s) {
    s = tolower(s)
    gsub(/[-_]/, " ", s)
    gsub(/^[^a-z0-9\200-\377]+|[^a-z0-9\200-\377]+$/, "", s)
    sub(/^[0-9]+([.):]|、|．|：)[ \t]*/, "", s)
    sub(/(：|。|）|】)+$/, "", s)
    gsub(/[ \t]+/, " ", s)
    return bare(s)
}
function keyed(s,   at) {
    at = colon(s)
    if (!at || at > 80 || !(key = named(substr(s, 1, at - 1)))) return 0
    rest = bare(substr(s, at + RLENGTH))
    sub(/^(\*\*|__)[ \t]*/, "", rest)
    return 1
}
function item(name, s,   low) {
    if (s ~ /^\[([xX]|✓|✔|√)\]/ && (name == "next" || name == "in_progress")) name = "completed"
    while (s ~ /^\[([ xX~\/-]|✓|✔|√)?\]([ \t]|$)/) { sub(/^\[[^]]*\][ \t]*/, "", s) }
    while (task && keyed(s) && (key == "allowed" || key == "forbidden")) { name = key; s = rest }
    low = tolower(s)
    gsub(/^[^a-z0-9\200-\377]+|[^a-z0-9\200-\377]+$/, "", low)
    gsub(/^(（|【)|(）|】|。)$/, "", low)
    if (low == "" || low in none) return
    gsub(/[ \t]+/, " ", s)
    held[++items] = s
    of[items] = name
}
END {
    table(ENVIRON[task ? "task_names" : "state_names"], names)
    table("x " ENVIRON["nothings"], none)
    marked()
    for (i = 1; i <= n; i++)
        if (!kind[i] && row[i] ~ /^ ? ? ?#/) { s = row[i]; gsub(/^ *#+/, "", s); if (named(s) || keyed(s)) headed = 1 }
    for (i = 1; i <= n; i++) {
        s = row[i]
        if (kind[i] == 2) { joins = 0; continue }
        if (bare(s) == "") { joins = 0; last = 0; if (!listed) by = ""; continue }
        if (!kind[i] && s ~ /^ ? ? ?#+[^#]/) {
            match(s, /#+/)
            deep = RLENGTH
            s = bare(substr(s, RSTART + RLENGTH))
            if (task && deep == 1 && title == "" && keyed(s)) title = rest
            if (headed && (found = named(s))) { section = found; level = deep; by = ""; rest = "" }
            else if (headed && deep > 1 && keyed(s)) { section = key; level = deep; by = ""; item(section, rest) }
            else if (!section || deep <= level) section = ""
            last = joins = 0
            continue
        }
        if (kind[i] && fence(s)) continue
        indent = s ~ /^[ \t]/
        said = unbulleted(s)
        was_bullet = bullet
        if ((!indent || was_bullet) && keyed(said) && (!headed || (task && (key == "allowed" || key == "forbidden")))) {
            by = key
            listed = rest == ""
            if (rest != "") { item(by, rest); last = items }
            continue
        }
        use = by ? by : section
        if (!use) continue
        if (!was_bullet && last && (indent || joins)) { held[last] = held[last] " " said; continue }
        if (said !~ /[A-Za-z0-9\200-\377]/) continue
        before = items
        item(use, said)
        last = items > before ? items : 0
        joins = !was_bullet && task && use == "goal"
    }
    for (i = 1; i <= items; i++) { print of[i] "\t" held[i]; if (of[i] == "goal") goal = 1 }
    if (task && !goal && title != "") print "goal\t" title
}'

# How many signatures a contract has.
signatures='
END {
    marked()
    for (i = 1; i <= n; i++) {
        if (kind[i] == 1 && !fence(row[i]) && row[i] ~ /[A-Za-z0-9]/ && bare(row[i]) !~ /^(#|\/\/|--|\/?\*)/) count++
        if (!kind[i]) { s = unbulleted(row[i]); if (bullet && s ~ /[A-Za-z0-9\200-\377]/) count++ }
        if (!kind[i] && row[i] ~ /^##+ .*[(`]/) titled++
    }
    if (count || titled) print put(put(ENVIRON["contract"], "count", count ? count : titled), "path", ENVIRON["at"])
}'

# JSON, as far as it is needed: parse() takes a value; text_of is what it says, bad whether it is none.
json='
function next_token() {
    while (1) {
        sub(/^[ \t]+/, "", rest_of)
        if (rest_of != "" || line >= n) break
        rest_of = row[++line]
    }
    token = substr(rest_of, 1, 1)
    if (token == "") return
    if (token == "\"") {
        if (!match(rest_of, /^"([^"\\\t]|\\.)*"/)) { bad = 1; token = ""; return }
        string = unescaped(substr(rest_of, 2, RLENGTH - 2))
    } else if (token ~ /[][{},:]/) { rest_of = substr(rest_of, 2); return }
    else if (match(rest_of, /^(-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?|true|false|null)/)) {
        token = "v"
        string = substr(rest_of, 1, RLENGTH)
    } else { bad = 1; token = ""; return }
    rest_of = substr(rest_of, RLENGTH + 1)
}
function hex(s,   i, value) {
    for (i = 1; i <= length(s); i++) value = value * 16 + index("0123456789abcdef", tolower(substr(s, i, 1))) - 1
    return value
}
function character(code) {
    if (code < 32 || (code > 126 && code < 160)) return " "
    if (code < 128 || sprintf("%c", 20013) == "中") return sprintf("%c", code)
    if (code < 2048) return sprintf("%c%c", 192 + int(code / 64), 128 + code % 64)
    if (code < 65536) return sprintf("%c%c%c", 224 + int(code / 4096), 128 + int(code / 64) % 64, 128 + code % 64)
    return sprintf("%c%c", 240 + int(code / 262144), 128 + int(code / 4096) % 64) \
        sprintf("%c%c", 128 + int(code / 64) % 64, 128 + code % 64)
}
function unescaped(s,   out, at, c, code, low) {
    while ((at = index(s, "\\"))) {
        out = out substr(s, 1, at - 1)
        c = substr(s, at + 1, 1)
        s = substr(s, at + 2)
        if (c == "u") {
            if (s !~ /^[0-9a-fA-F][0-9a-fA-F][0-9a-fA-F][0-9a-fA-F]/) { bad = 1; return "" }
            code = hex(substr(s, 1, 4))
            s = substr(s, 5)
            if (code >= 55296 && code < 56320 && s ~ /^\\u[dD][c-fC-F]/) {
                low = hex(substr(s, 3, 4))
                code = 65536 + (code - 55296) * 1024 + low - 56320
                s = substr(s, 7)
            }
            out = out (code >= 55296 && code < 57344 ? "\357\277\275" : character(code))
        } else if (c ~ /[bfnrt]/) out = out " "
        else if (c ~ /["\\\/]/) out = out c
        else { bad = 1; return "" }
    }
    return out s
}
# Returns what a value says in one line. Members of the outermost object: member[key], and parts[key, 1..] of a list.
function parse(deep, key,   out, said, count, name, inner, evidence) {
    if (deep > 60) bad = 1
    if (bad) return ""
    if (token == "\"") { out = string; next_token(); return squeezed(out) }
    if (token == "v") { out = string ~ /^[-0-9]/ ? string : ""; next_token(); return out }
    if (token == "[") {
        next_token()
        while (!bad && token != "]") {
            said = parse(deep + 1, "")
            count++
            if (deep == 1) { parts[key, count] = said; many[key] = count }
            if (said != "") out = out (out == "" ? "" : between) said
            comma("]")
        }
        next_token()
        return out
    }
    if (token != "{") { bad = 1; return "" }
    next_token()
    while (!bad && token != "}") {
        if (token != "\"") { bad = 1; return "" }
        inner = string
        next_token()
        if (token != ":") { bad = 1; return "" }
        next_token()
        said = parse(deep + 1, inner)
        if (!deep) { member[inner] = said; order[++members] = inner }
        else if (said != "") {
            if (name == "" && inner ~ /^(name|task|title|step|item|text|description|summary|what|action)$/) name = said
            else if (name == "" && inner ~ /^(名称|任务|标题|步骤|事项|内容|描述)$/) name = said
            else if (inner ~ /^(commit|commit_hash|hash|sha|提交)$/) evidence = evidence ", commit " said
            else if (inner ~ /^(command|cmd|test_command|命令)$/) evidence = evidence ", `" said "`"
            else if (inner ~ /^(evidence|proof|verified_by|test|tests|证据|验证)$/) evidence = evidence ", " said
            out = out (out == "" ? "" : "; ") inner ": " said
        }
        comma("}")
    }
    if (!deep) whole = !bad
    next_token()
    if (name == "") return out
    return evidence == "" ? name : name " (" substr(evidence, 3) ")"
}
function comma(closing) {
    if (token == ",") { next_token(); if (token == closing) bad = 1 } else if (token != closing) bad = 1
}
function squeezed(s) { gsub(/[ \t]+/, " ", s); return bare(s) }
function start(from,   i) {
    bad = members = 0
    line = from - 1
    rest_of = ""
    for (i in member) delete member[i]
    for (i in parts) delete parts[i]
    for (i in many) delete many[i]
    next_token()
}
'

is_json='END { if (n) { start(1); if (token != "") { parse(0, ""); exit bad || token != "" } } }'

json_state='
BEGIN { between = "; " }
END {
    start(1)
    if (token == "") exit
    if (token != "{") exit 1
    parse(0, "")
    if (bad || token != "") exit 1
    table(ENVIRON["state_names"], names)
    table("x " ENVIRON["nothings"], none)
    for (i = 1; i <= members; i++) {
        key = tolower(order[i])
        gsub(/[-_]/, " ", key)
        if (!(key in names) || key == "status") continue
        if (!many[order[i]]) { parts[order[i], 1] = member[order[i]]; many[order[i]] = 1 }
        for (j = 1; j <= many[order[i]]; j++) {
            s = parts[order[i], j]
            if (s ~ /[A-Za-z0-9\200-\377]/ && !(tolower(s) in none)) print names[key] "\t" s
        }
    }
}'

# Task and state: of `section<TAB>item` lines, those of the task marked with T.
state='
BEGIN { FS = "\t" }
function show(name, all, newest,   i, from) {
    from = newest && count[name] > newest ? count[name] - newest + 1 : 1
    for (i = from; i <= count[name]; i++) print label[name] (all == "numbered" ? " " i : "") ": " item[name, i]
}
function joined(name,   i, s) {
    for (i = 1; i <= count[name]; i++) s = s (i > 1 ? "; " : "") item[name, i]
    if (s != "") print label[substr(name, 2)] ": " s
}
{ item[$1, ++count[$1]] = substr($0, length($1) + 2) }
END {
    many = split(ENVIRON["labels"], list, "\n")
    for (i = 1; i <= many; i++) {
        at = index(list[i], " ")
        label[substr(list[i], 1, at - 1)] = substr(list[i], at + 1)
    }
    show("in_progress"); show("next", "numbered"); show("blocked"); show("scope")
    if (count["taskname"]) print label["task"] ": " item["taskname", 1]
    joined("Tgoal"); joined("Tacceptance"); joined("Tallowed"); joined("Tforbidden")
    for (i = 1; i <= count["contract"]; i++) print item["contract", i]
    done = count["completed"]
    for (i = done; i > 0 && i > done - 5; i--) print label["completed"] ": " item["completed", i]
    if (done > 5) {
        s = ENVIRON["more_completed"]
        at = index(s, "{count}")
        s = substr(s, 1, at - 1) (done - 5) substr(s, at + 7)
        at = index(s, "{path}")
        print substr(s, 1, at - 1) ENVIRON["at"] substr(s, at + 6)
    }
    show("evidence", "", 3)
}'

decisions='
function status_of(s,   word, best) {
    s = tolower(s)
    gsub(/^[^a-z\200-\377]+/, "", s)
    sub(/^(［|【|（)/, "", s)
    for (word in states) if (index(s, word) == 1 && length(word) > length(best)) best = word
    return best == "" ? "" : states[best]
}
# What a status points at: "superseded by X".
function pointed(s) {
    if (!match(tolower(s), /(^|[^a-z])(by|with|in favou?r of|see)[ \t:]+/) && !match(s, /由|被|见/)) return ""
    s = bare(substr(s, RSTART + RLENGTH))
    sub(/[)]$|）$/, "", s)
    return s
}
# Title, with the tags around it taken off.
function begin(s,   word, at) {
    d++
    heading_of[d] = 0
    group_of[d] = group
    gsub(/[ \t]+#+$/, "", s)
    word = tagged(s)
    if (tag != "" && (confidence(tag) != "" || tolower(tag) in states)) {
        s = word
        if (confidence(tag) != "") trust[d] = confidence(tag)
        else stat[d] = states[tolower(tag)]
        sub(/^(:|：)[ \t]*/, "", s)
    }
    if (match(s, /(\[|［|【|\(|（)[^][(（]*(\]|］|】|\)|）)$/)) {
        word = substr(s, RSTART, RLENGTH)
        at = RSTART
        gsub(/\[|\]|［|］|【|】|\(|\)|（|）/, "", word)
        if (confidence(word) != "") { trust[d] = confidence(word); s = bare(substr(s, 1, at - 1)) }
        else if (tolower(word) in states) { stat[d] = states[tolower(word)]; s = bare(substr(s, 1, at - 1)) }
        else if (as_item && tolower(word) ~ /^(user|person|human|agent|team|用户|人|代理|智能体|团队)/) {
            source[d] = word
            s = bare(substr(s, 1, at - 1))
        }
    }
    gsub(/^\*\*|\*\*$/, "", s)
    title[d] = s
}
function say(i, word,   s) {
    s = title[i] (reason[i] == "" ? "" : ": " reason[i]) (by[i] == "" ? "" : " → " by[i])
    s = s (source[i] == "" ? "" : " (" source[i] ")")
    gsub(/[ \t]+/, " ", s)
    print "[" word "] " s (is_void[i] ? " " ENVIRON["void"] : "")
}
END {
    table(ENVIRON["decision_keys"], keys)
    table(ENVIRON["decision_titles"], groups)
    table(ENVIRON["confidences"], trusts)
    table(ENVIRON["statuses"], states)
    marked()
    for (i = 1; i <= n; i++) {
        s = row[i]
        if (kind[i] || bare(s) == "") continue
        if (s ~ /^> *(archived|已归档): /) {
            sub(/^> *[^:]*: */, "", s)
            at = index(s, ": ")
            said = put(ENVIRON["cut"], "count", split(substr(s, at + 2), ids, ","))
            archives[++archived] = put(said, "path", substr(s, 1, at - 1))
            continue
        }
        if (s ~ /^ ? ? ?#+[ \t]+[^ \t]/) {
            match(s, /#+/)
            level = RLENGTH
            s = bare(substr(s, RSTART + RLENGTH))
            in_heading = as_item = 0
            if (tolower(s) in groups) { group = groups[tolower(s)] == "title" ? "" : groups[tolower(s)]; continue }
            if (level == 1) { group = ""; continue }
            begin(s)
            in_heading = 1
            continue
        }
        said = unbulleted(s)
        was_bullet = bullet
        at = colon(said)
        key = at ? tolower(substr(said, 1, at - 1)) : ""
        gsub(/\*|_/, "", key)
        key = bare(key)
        if (d && key in keys) {
            value = bare(substr(said, at + RLENGTH))
            gsub(/^\*\*[ \t]*/, "", value)
            if (keys[key] == "reason") reason[d] = value
            else if (keys[key] == "confidence") {
                value = tagged(value)
                if (tag == "" && match(value, /^[A-Za-z]+/) && confidence(substr(value, 1, RLENGTH)) != "") {
                    tag = substr(value, 1, RLENGTH)
                    value = bare(substr(value, RLENGTH + 1))
                }
                if (confidence(tag) != "") trust[d] = confidence(tag)
                gsub(/^[,，:：—–-]+[ \t]*/, "", value)
                if (value != "") source[d] = value
            } else if (keys[key] == "status" && (word = status_of(value)) != "") {
                stat[d] = word
                if (word == "stale" && by[d] == "") by[d] = pointed(value)
            }
            else if (keys[key] == "by" || keys[key] == "stale") {
                by[d] = value
                if (keys[key] == "stale") stat[d] = "stale"
            }
        } else if (in_heading) {
            if (reason[d] == "" && bare(s) !~ /^[-*_ ]+$/ && bare(s) !~ /^>/) reason[d] = said
        } else if (was_bullet && s !~ /^[ \t]/) { as_item = 1; begin(said) }
        else if (d && as_item && s ~ /^[ \t]/ && reason[d] == "") reason[d] = said
    }
    for (i = 1; i <= d; i++) {
        if (stat[i] == "") stat[i] = trust[i] == "STALE" ? "stale" : group_of[i]
        if (stat[i] == "stale") trust[i] = "STALE"
        is_void[i] = trust[i] == "HARD"
        if (is_void[i] || trust[i] == "") trust[i] = "TENTATIVE"
        if (stat[i] != "rejected" && trust[i] != "STALE") others[++count] = i
        if (stat[i] != "stale") by[i] = ""
        if (stat[i] == "stale") stales[++stale] = i
    }
    for (i = 1; i <= d; i++)
        if (stat[i] == "rejected") {
            print "[✗] " title[i] (is_void[i] ? " " ENVIRON["void"] : "")
            if (reason[i] != "") print "  " reason[i]
        }
    for (i = count > 20 ? count - 19 : 1; i <= count; i++) say(others[i], trust[others[i]])
    if (count > 20) print put(put(ENVIRON["cut"], "count", count - 20), "path", ENVIRON["at"])
    for (i = stale > 5 ? stale - 4 : 1; i <= stale; i++) say(stales[i], "STALE")
    for (i = 1; i <= archived; i++) print archives[i]
}'

questions='
END {
    table(ENVIRON["confidences"], trusts)
    marked()
    for (i = 1; i <= n; i++) {
        if (kind[i]) continue
        s = unbulleted(row[i])
        if (match(s, /^(\[|［|【)[ \t]*([xX]|✓|✔|√)?[ \t]*(\]|］|】)/) && substr(s, RLENGTH + 1, 1) != "(") {
            box = substr(s, 1, RLENGTH)
            s = bare(substr(s, RLENGTH + 1))
            if (box ~ /[xX]|✓|✔|√/) continue
        } else if (!bullet || row[i] ~ /^[ \t]/ || bare(row[i]) ~ /^[-*_ ]+$/) continue
        word = ""
        if (match(s, /(\[|［|【)[^][［【]*(\]|］|】)[ \t?.!]*$/)) {
            tag = substr(s, RSTART, RLENGTH)
            at = RSTART
            behind = tag
            sub(/^(\[|［|【)[^]]*(\]|］|】)/, "", behind)
            gsub(/\[|\]|［|］|【|】|[ \t?.!]/, "", tag)
            if ((word = confidence(tag)) != "") s = bare(substr(s, 1, at - 1)) bare(behind)
        }
        if (word == "") { said = tagged(s); if ((word = confidence(tag)) != "") s = said }
        if (word != "SOFT" && word != "STALE") word = "TENTATIVE"
        gsub(/[ \t]+/, " ", s)
        print "- [ ] " s " [" word "]"
    }
}'

operations='
function told(   s) {
    s = member["id"]
    if (member["type"] != "") s = s (s == "" ? "" : " ") member["type"]
    if (member["target"] != "") s = s (s == "" ? "" : " ") member["target"]
    said[++count] = squeezed(s ": " member["summary"])
}
BEGIN { between = ", " }
function object(   i) {
    for (i in member) delete member[i]
    whole = 0
    from = line
    parse(0, "")
    if (whole) told()
}
END {
    for (i = 1; i <= n; i = (whole || !bad ? line : from) + 1) {
        start(i)
        from = line
        whole = 0
        if (token == "[") next_token()
        while (!bad && (token == "{" || token == ",")) if (token == ",") next_token(); else object()
    }
    for (i = count > 20 ? count - 19 : 1; i <= count; i++) print said[i]
}'

# Nothing that is written in memory looks like what stands around it, or says that it is law.
harmless='
BEGIN {
    many = split(ENVIRON["header"] "\n" ENVIRON["engram"], ours, "\n")
    for (i = 1; i <= many; i++) {
        ours[i] = tolower(ours[i])
        gsub(/[ \t]/, "", ours[i])
        ours[i] = substr(ours[i], 1, 24)
    }
}
function folded(s) {
    gsub(/\342\200[\213-\217\252-\256]|\342\201[\240-\257]|\357\273\277/, "", s)
    gsub(/Ｈ|ｈ/, "H", s); gsub(/Ａ|ａ/, "A", s); gsub(/Ｒ|ｒ/, "R", s); gsub(/Ｄ|ｄ/, "D", s)
    gsub(/［|【|〔|〖/, "[", s); gsub(/］|】|〕|〗/, "]", s)
    return s
}
function without_claims(s) {
    gsub(/\[[^]A-Za-z\200-\377]*[Hh][^A-Za-z]?[Aa][^A-Za-z]?[Rr][^A-Za-z]?[Dd][^]A-Za-z\200-\377]*\]/, "[?HARD]", s)
    gsub(/(\(|（)[ \t*_]*HARD[ \t*_]*(\)|）)/, "[?HARD]", s)
    gsub(/\[ *(强制|硬)(性)? *\]/, "[?强制]", s)
    return s
}
{
    s = $0
    plain = folded(s)
    if (without_claims(plain) != plain) s = without_claims(plain)
    told = tolower(folded(s))
    gsub(/[ \t]/, "", told)
    rule = told ~ /^(---*|━━+|—+|―+|─+)[0-9]+-/ || told ~ /^━━━━/ || told ~ /^(<<<|>>>|\(\(\(|\)\)\))/
    for (i = 1; i <= many; i++) if (ours[i] != "" && index(told, ours[i])) rule = 1
    print (rule ? "| " : "") s
}'

# Nothing that is printed has a secret of these shapes in it. No {20,}: not every awk knows it.
shapes='GitHub token|24|gh[pousr]_[A-Za-z0-9]+
GitHub token|31|github_pat_[A-Za-z0-9_]+
GitLab token|24|gl(pat|dt|rt|rtr|ptt|ft|soat|cbt|agent|imt|oas|ffct|wt)-[A-Za-z0-9_.-]*[A-Za-z0-9_-]
AWS access key|20|A(KI|SI|RO|ID|BI|CC)A[A-Z0-9]+
Google API key|39|AIza[A-Za-z0-9_-]+
Slack token|15|xox[a-eoprs][-.][A-Za-z0-9%.+/=_-]+
Slack token|18|xapp-[0-9]-[A-Za-z0-9-]+
Stripe key|24|[srp]k_(live|test)_[A-Za-z0-9]+
Stripe webhook secret|30|whsec_[A-Za-z0-9+/=]+
npm token|34|npm_[A-Za-z0-9]+
PyPI token|35|pypi-[A-Za-z0-9_-]+
Hugging Face token|33|(hf_|api_org_)[A-Za-z0-9]+
Anthropic key|17|sk-ant-[A-Za-z0-9_-]+
OpenRouter key|41|sk-or-v1-[0-9a-f]+
OpenAI key|23|sk-[A-Za-z0-9_-]+
JSON web token|40|eyJ[A-Za-z0-9_-]+[.]eyJ[A-Za-z0-9_-]+[.][A-Za-z0-9_-]+'
export shapes
secrets='
BEGIN {
    many = split(ENVIRON["shapes"], list, "\n")
    for (i = 1; i <= many; i++) {
        at = index(list[i], "|")
        shape[i] = substr(list[i], 1, at - 1)
        least[i] = substr(list[i], at + 1) + 0
        sub(/^[^|]*[|][0-9]*[|]/, "", list[i])
        begins[i] = "(^|[^A-Za-z0-9_])" list[i]
    }
    quote = "[ \t]*\\\\*[\"\047]?[ \t]*"
    header_begins = "authorization" quote "[:=,]" quote "([a-z][a-z-]*[ \t]+)?"
    count = split("password passwd pass pwd secret token key user username changeme example port xxx xxxx", list, " ")
    for (i = 1; i <= count; i++) dummies[list[i]] = 1
}
function mark(of) { return "[secret removed: " of "]" }
# Whether it is by chance: words and places to fill in are not.
function mixed(s) {
    if (tolower(s) ~ /your[_-]|[_-]here|placeholder|redacted|replace[_-]?me|xxxxxxxx/) return 0
    s = substr(s, 4)
    return s ~ /[0-9]/ || (s ~ /[a-z]/ && s ~ /[A-Z]/)
}
function without_tokens(s, i,   out, token, before) {
    while (match(s, begins[i])) {
        token = substr(s, RSTART, RLENGTH)
        before = substr(s, 1, RSTART - 1)
        s = substr(s, RSTART + RLENGTH)
        if (token !~ /^[A-Za-z0-9]/) { before = before substr(token, 1, 1); token = substr(token, 2) }
        out = out before (length(token) >= least[i] && mixed(token) ? mark(shape[i]) : token)
    }
    return out s
}
# A value behind what says what it is.
function without_values(s, names, least_of, of,   out, length_of) {
    while (match(tolower(s), names)) {
        out = out substr(s, 1, RSTART + RLENGTH - 1)
        s = substr(s, RSTART + RLENGTH)
        if (!match(s, /^[A-Za-z0-9+\/=._~%-]+/) || RLENGTH < least_of) continue
        length_of = RLENGTH
        if (mixed("   " substr(s, 1, RLENGTH))) { out = out mark(of); s = substr(s, length_of + 1) }
    }
    return out s
}
function without_passwords(s,   out, user, word, fills_in) {
    while (match(s, /:\/\/[^ \t\/:@"`<>]*:[^ \t\/@"`<>]+@[A-Za-z0-9[]/)) {
        word = substr(s, RSTART + 3, RLENGTH - 5)
        user = word
        sub(/:.*/, "", user)
        out = out substr(s, 1, RSTART + 3 + length(user))
        word = substr(word, length(user) + 2)
        s = substr(s, RSTART + RLENGTH - 2)
        fills_in = length(word) < 3 || word ~ /^[<{$*%[]/ || tolower(word) == tolower(user) || tolower(word) in dummies
        out = out (fills_in ? word : mark("password in a URL"))
    }
    return out s
}
# A private key: `inside` it is 1 until a short line, then 2.
function without_keys(s,   out, at) {
    while (match(s, /-----BEGIN [A-Z0-9 ]*PRIVATE KEY( BLOCK)?-----/)) {
        out = out substr(s, 1, RSTART - 1) mark("private key")
        s = substr(s, RSTART + RLENGTH)
        inside = 1
        if (match(s, /-----END [A-Z0-9 ]*-----/)) { inside = 0; s = substr(s, RSTART + RLENGTH) } else s = ""
    }
    return out s
}
{
    if (inside) {
        body = $0
        gsub(/^[|> \t]+|[ \t]+$/, "", body)
        if (body == "") { print; next }
        if (inside == 1 && body ~ /^[A-Za-z0-9+\/=]+$/) { if (length(body) < 40) inside = 2; next }
        if (inside == 1 && body ~ /^(Proc-Type|DEK-Info|Version|Comment|Hash|Charset):/) next
        if (sub(/^-----END [A-Z0-9 ]*-----/, "", body) || (match(body, /^[A-Za-z0-9+\/=]+/) && RLENGTH > 15)) {
            sub(/^[A-Za-z0-9+\/=]+/, "", body)
            if (body == "") { inside = 0; next }
            $0 = body
        }
        inside = 0
    }
    s = without_keys($0)
    for (i = 1; i <= many; i++) s = without_tokens(s, i)
    s = without_values(s, header_begins, 8, "authorization header")
    s = without_values(s, "bearer[ \t]+", 16, "bearer token")
    print without_passwords(s)
}'

# ---- units: each prints what it has to say ----

# The file of a thing through a program; `at` is the file's name in sentences.
told_of() {
    find_place "$1"
    [ -n "$found" ] || return 0
    if complaint "$found"; then
        text "$found" | at=$(named "$found") awk -v most="$3" "$rows$2" | awk "$harmless"
    fi
}

structure() {
    # Folders end with a slash, links are not followed; names of each folder behind it.
    listing . | while IFS= read -r name; do
        printf '%s\n' "$name"
        case $name in
            */) listing "./${name%/}" | sed 's/^/ /' ;;
        esac
    done | awk "$word"'
        function shown(s) { return s ~ /^\(\+[0-9]+\)$/ ? s : word(s) }
        function rows_of(text, mark,   many, list, i, line, plain, width, add) {
            many = split(text, list, "\n")
            for (i = 1; i < many; i++) {
                plain = list[i]
                gsub(/[\200-\277]/, "", plain)
                add = length(plain)
                if (line != "" && width + 1 + add <= 110) { line = line " " list[i]; width += 1 + add }
                else { if (line != "") print mark line; line = list[i]; width = add }
            }
            if (line != "") print mark line
        }
        /^ / { inside = inside shown(substr($0, 2)) "\n"; next }
        { rows_of(inside, "  "); inside = "" }
        /\/$/ { print word($0); next }
        { files = files shown($0) "\n" }
        END { rows_of(inside, "  "); rows_of(files, "") }' | awk "$harmless"
}

listing() {
    set +f
    for each in "$1"/* "$1"/.[!.]* "$1"/..?*; do
        name=${each##*/}
        there "$each" || continue
        case $nl$noise$nl in *"$nl$name$nl"*) continue ;; esac
        [ "$1/$name" != ./.agent/restore ] || continue
        case $name in *.pyc | *.pyo | *.egg-info | *.agentsup | *~ | *.swp) continue ;; esac
        case $name in *[[:cntrl:]]*) name=$(printf '%s' "$name" | tr '\000-\037\177' '?') ;; esac
        if [ -d "$each" ] && [ ! -L "$each" ]; then
            [ "$1" != . ] || ! there "$each/pyvenv.cfg" || continue
            [ "$1" != . ] || ! there "$each/CACHEDIR.TAG" || continue
            name=$name/
        fi
        printf '%s\n' "$name"
    done | sort | awk 'NR <= 100 { print } END { if (NR > 100) print "(+" NR - 100 ")" }'
    set -f
}

task_state() {
    find_place state
    state_file=$found
    find_place task
    task_file=$found
    find_place contract
    contract_file=$found
    items=
    for file in "$state_file" "$task_file" "$contract_file"; do
        [ -n "$file" ] || continue
        if ! complaint "$file"; then continue; fi
        if [ "$file" = "$contract_file" ]; then
            items=$items$(text "$file" | at=$(named "$file") awk "$rows$signatures" | sed "s/^/contract$tab/")$nl
        elif [ "$file" = "$task_file" ]; then
            items=$items$(text "$file" | awk -v task=1 "$rows$sections" | sed 's/^/T/')$nl
        else
            case $file in
                *.json)
                    if said=$(text "$file" | awk "$rows$json$json_state"); then
                        items=$items$said$nl
                    else
                        fill "$unreadable" path "$(named "$file")"
                    fi
                    ;;
                *) items=$items$(text "$file" | awk "$rows$sections")$nl ;;
            esac
        fi
    done
    [ -z "$task" ] || items=${items}taskname$tab$task$nl
    printf '%s' "$items" | sed '/./!d' | at=$(named "$state_file") awk "$state" | awk "$harmless"
}

recent_operations() {
    find_place operations
    [ -n "$found" ] || return 0
    if ! plain "$found"; then
        complaint "$found"
    elif [ "$(wc -c <"$found")" -gt "$most" ]; then
        tail -c "$most" <"$found" | sed 1d | tr -d '\000-\010\013-\037\177' |
            awk "$rows$json$operations" | awk "$harmless"
    elif complaint "$found"; then
        text "$found" | awk "$rows$json$operations" | awk "$harmless"
    fi
}

# The lines as they were written, without blank ones above and below.
written='
{ row[NR] = $0 }
END {
    first = 1
    last = NR
    while (first <= last && row[first] ~ /^[ \t]*$/) first++
    while (last >= first && row[last] ~ /^[ \t]*$/) last--
    sub(/^[ \t]+/, "", row[first])
    sub(/[ \t]+$/, "", row[last])
    for (i = first; i <= last; i++) print row[i]
}'

engram_lines() {
    find_place engram
    [ -n "$found" ] || return 0
    if complaint "$found"; then text "$found" | awk "$written" | awk "$harmless"; fi
}

# A file of init.d.
own_unit() {
    shown=$(named "$1")
    if [ "$2" = run ]; then
        if [ -n "$run" ] && plain "$1"; then
            run_unit "$1"
        else
            fill "$not_run" path "$shown"
        fi
        return 0
    fi
    complaint "$1" || return 0
    case $1 in
        *.[jJ][sS][oO][nN])
            if ! text "$1" | awk "$rows$json$is_json"; then
                fill "$unreadable" path "$shown"
                return 0
            fi
            ;;
    esac
    text "$1" | at=$shown awk "$rows$own" | awk "$harmless"
}
own='
END {
    most = ENVIRON["lines_most"]
    for (i = 1; i <= n; i++) { sub(/[ \t]+$/, "", row[i]); if (row[i] != "" && ++count <= most) print row[i] }
    if (count > most) print put(put(ENVIRON["cut"], "count", count - most), "path", ENVIRON["at"])
}'

# What a unit prints, and whether it has failed. The files that it declares are given to it by their names.
run_unit() {
    file=$1
    set -- "./$file"
    [ -x "$1" ] || set -- /bin/sh "$1"
    count=0
    IFS=$nl
    for path in $(sed -n 's/^[[:blank:]]*#[[:blank:]]*agentsup:[[:blank:]]*include[[:blank:]][[:blank:]]*//p' <"$file" |
        sed 's/[[:space:]]*$//; /./!d' | head -n 50); do
        case /$path/ in //* | */../*) plain=1 ;; *) plain "$path" && plain= || plain=1 ;; esac
        if [ -n "$plain" ]; then
            fill "$no_include" path "$shown" detail "$(named "$path")"
            return
        fi
        count=$((count + 1))
        set -- "AGENTSUP_INCLUDE_$count=./$path" "$@"
    done
    IFS=" $tab$nl"
    limit=
    ! command -v timeout >/dev/null || limit='timeout 5'
    {
        # The code goes round by a descriptor of its own, what is printed by another.
        # shellcheck disable=SC2086 # two words, or none
        code=$({
            {
                $limit env -i PATH=/usr/local/bin:/usr/bin:/bin LC_ALL=C.UTF-8 COLUMNS=80 "$@" \
                    </dev/null 2>/dev/null 3>&- 4>&-
                printf '%s\n' "$?" >&3
            } | head -c 65536 | tr -d '\000-\010\013\014\016-\037\177' | at=$shown awk "$rows$own" |
                awk "$harmless" >&4
        } 3>&1)
    } 4>&1
    [ "$code" = 0 ] || fill "$failed" path "$shown" detail "exit $code"
}

# `number<TAB>name<TAB>file<TAB>read|run` of what is in init.d, but for files that are the home of something.
own_units() {
    [ -d .agent/init.d ] && [ ! -L .agent/init.d ] || return 0
    set +f
    for each in .agent/init.d/*; do
        name=${each##*/}
        there "$each" || continue
        case $name in [!0-9]* | *[[:cntrl:]]* | *~) continue ;; esac
        case $name in *.swp | *.swo | *.swx | *.bak | *.orig | *.rej | *.tmp | *.old | *.pyc) continue ;; esac
        if [ -d "$each" ] && [ ! -L "$each" ]; then continue; fi
        case " $(printf '%s' "$places" | tr '\n' ' ') " in
            *" $each "*) if is_home "$each"; then continue; fi ;;
        esac
        how="read"
        if [ -f "$each" ] && [ ! -L "$each" ]; then
            case $name in
                *.sh) how="run" ;;
                *) [ ! -x "$each" ] || how="run" ;;
            esac
            case $how$name in
                run* | *.[mM][dD] | *.[tT][xX][tT] | *.[jJ][sS][oO][nN]) ;;
                *) continue ;;
            esac
        fi
        case $name in ?*.*) stem=${name%.*} ;; *) stem=$name ;; esac
        number=${stem%%-*}
        case $number in *[!0-9]* | ??????????*) number=10000 ;; esac
        printf '%s\t%s\t%s\t%s\n' "$number" "$stem" "$each" "$how"
    done | sort -s -t "$tab" -k 1,1n -k 3,3 | head -n 500
    set -f
}

# An empty one is no home; nor is a state's of the whole project where a task of its own is the current one.
is_home() {
    if is_empty "$1"; then return 1; fi
    case $1 in
        */30-task-state.*)
            [ -z "$folder" ] || { find_place state; [ -n "$found" ]; }
            ;;
    esac
}

body() {
    case $1 in
        00-handoff) told_of handoff "$prose" 40 ;;
        05-identity) told_of identity "$identity" 0 ;;
        10-structure) structure ;;
        20-conventions) told_of conventions "$prose" 50 ;;
        30-task-state) task_state ;;
        40-decisions) told_of decisions "$decisions" 0 ;;
        50-open-questions) told_of questions "$questions" 0 ;;
        60-recent-operations) recent_operations ;;
    esac
}

# The file that a built-in unit is made of.
source_of() {
    case $1 in
        00-handoff) find_place handoff ;;
        05-identity) find_place identity ;;
        20-conventions) find_place conventions ;;
        30-task-state)
            find_place state
            # Where it would be written: beside the others.
            [ -n "$found" ] || found=${folder:+$folder/STATE.md}
            if [ -z "$found" ]; then
                for file in TASK.md CONTRACT.md DECISIONS.md; do if there "$file"; then found=STATE.md; fi; done
                for file in TASK.md CONTRACT.md DECISIONS.md; do if there ".agent/$file"; then found=; fi; done
            fi
            [ -n "$found" ] || found=$(entry "$defaults" state)
            ;;
        40-decisions) find_place decisions ;;
        50-open-questions) find_place questions ;;
        60-recent-operations) find_place operations ;;
        *) found= ;;
    esac
    named "$found"
}

current=$(current_task)
task=${current%%"$tab"*}
folder=${current#*"$tab"}

for role in engram state task contract decisions identity handoff questions conventions operations; do
    look_for "$role"
    eval "place_of_$role=\$found"
done

units=$({
    printf '%s\n' 0-00-handoff 5-05-identity 10-10-structure 20-20-conventions 30-30-task-state 40-40-decisions \
        50-50-open-questions 60-60-recent-operations | sed "s/-/$tab/; s/\$/$tab/"
    own_units
} | awk -F '\t' '{ last[$2] = $0 } END { for (name in last) print last[name] }' | sort -s -t "$tab" -k 1,1n -k 2,2)

facts=
any=
IFS=$nl
for unit in $units; do
    IFS=" $tab$nl"
    unit=${unit#*"$tab"}
    name=${unit%%"$tab"*}
    unit=${unit#*"$tab"}
    file=${unit%%"$tab"*}
    case $name in 90-engram | 95-recite) continue ;; esac
    if [ -n "$file" ]; then
        said=$(own_unit "$file" "${unit#*"$tab"}")
        from=$(named "$file")
    else
        said=$(body "$name")
        from=$(source_of "$name")
    fi
    [ -n "$said" ] || continue
    [ "$name" = 10-structure ] || any=1
    heading=$(named "$name")
    facts="$facts--- $heading${from:+: $from} ---$nl$said$nl$nl"
done
IFS=" $tab$nl"

said=$(engram_lines)
if [ -n "$said" ]; then
    any=1
    rule=━━━━━━━━━━━━
    facts="$facts$rule $engram $rule$nl$said$nl$rule$rule$nl$nl"
fi

if [ -z "$any" ]; then
    printf '%s\n' "$nothing" >&2
    exit 1
fi
printf '%s\n\n%s\n\n%s%s\n%s\n' "$header" "$legend" "$facts" "$recite" "$wait" | awk "$secrets"
