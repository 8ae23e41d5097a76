#!/bin/sh
# The launcher: starts the agent on the courier's word, ends it on the courier's word, and stays until what the agent
# left has been collected. The first process of the agent's container:
#
#     CONTROL_DIR=/mlectl LOGS_DIR=/home/logs  sh launch.sh -- COMMAND [ARGUMENT...]
#
# Needs a POSIX shell, sleep and mv. With bash, or with setsid, env, tail and grep, it does some things better; each place
# says what. INSTRUCTIONS, if set, is where the task text goes (a copy of $CONTROL_DIR/instructions.txt).
#
# It talks with the courier through files in CONTROL_DIR, each put in place by a rename:
#
#     ready      ours     we are here; and what this container can see of CPUs, memory and GPUs
#     go         theirs   start the agent; contents: seconds between TERM and KILL if somebody ends us
#     started    ours     the agent runs
#     alive      ours     touched all the time
#     stop       theirs   end the agent; contents: seconds between TERM and KILL
#     stopping   ours     somebody sent us a TERM; the agent is being ended
#     ended      ours     the agent and everything it started are gone; exit code and memory events
#     collected  theirs   everything is safe: we may go, with the agent's exit code (instead of `go`: no time is left,
#                         the agent is not started)
#
# The agent runs as the same user, so it could write any of these. That can only end its own run: the clock and the
# submission that counts are kept by the courier, out of the agent's reach, and no word here makes an end anybody else's
# doing. But we must not go without a word: that looks as if the platform had killed us.

# Without job control a shell starts background processes with Ctrl-C ignored, and they can't undo it: Python's
# KeyboardInterrupt would be dead in the agent. bash has job control without a terminal; most other shells do not, and
# where GNU's env is missing too (an image with BusyBox alone) an agent that wants Ctrl-C has to ask for it itself.
if [ -z "${BASH_VERSION:-}" ] && bash=$(command -v bash); then
    exec "$bash" "$0" "$@"
fi

say() {
    printf 'launcher: %s\n' "$1" >&2
}

# publish NAME TEXT: put a file of ours in place, whole.
publish() {
    clear_way "$control/.$1.new" && clear_way "$control/$1" &&
        write_new "$control/.$1.new" "$2" 2>/dev/null &&
        mv -f "$control/.$1.new" "$control/$1" 2>/dev/null && [ -f "$control/$1" ]
}

# write_new PATH TEXT: only into a file that was not there before. The shell must not write through a link.
write_new() {
    (set -C && printf '%s\n' "$2" >"$1")
}

# clear_way PATH: move away what the agent may have planted there. A link would have us write somewhere else, a pipe
# would have us wait for ever, and a folder would swallow the file.
clear_way() {
    if [ -h "$1" ] || [ -e "$1" ]; then
        junk=$((junk + 1))
        mv -f "$1" "$control/.junk.$$.$junk" 2>/dev/null
    fi
}

# The courier waits for this file; a full disk may keep us from writing it for a while.
publish_surely() {
    until publish "$1" "$2"; do
        [ -f "$control/collected" ] && return
        pause
    done
}

# One tick: a tenth of a second where sleep understands fractions, else a second.
pause() {
    sleep "$tick"
}

# first_line FILE: its first line, without starting a program.
first_line() {
    line=
    { read -r line <"$1"; } 2>/dev/null
    printf '%s' "$line"
}

# value_of KEY FILE: the value beside KEY in a file of "key value" lines.
value_of() {
    [ -r "$2" ] || return 1
    while read -r key value; do
        if [ "$key" = "$1" ]; then
            printf '%s' "$value"
            return 0
        fi
    done <"$2"
    return 1
}

# cgroup_file NAME_V2 CONTROLLER_V1 NAME_V1: path of a file of our control group, in either version's layout.
cgroup_file() {
    group=
    [ -r /proc/self/cgroup ] && while IFS=: read -r number controllers path; do
        case "$number:,$controllers," in
            *",$2,"*) group=$path ;;
            0:,,) group=${group:-$path} ;;
        esac
    done </proc/self/cgroup
    for candidate in "/sys/fs/cgroup$group/$1" "/sys/fs/cgroup/$1" \
        "/sys/fs/cgroup/$2$group/$3" "/sys/fs/cgroup/$2/$3"; do
        if [ -r "$candidate" ]; then
            printf '%s' "$candidate"
            return
        fi
    done
}

# How many processes of our control group the kernel has killed for memory; empty where it does not say.
count_oom_kills() {
    value_of oom_kill "$(cgroup_file memory.events memory memory.oom_control)"
}

# graphics_cards: a line for each, as the driver's own tool tells, which is given ten seconds because a sick card hangs it.
graphics_cards() {
    command -v nvidia-smi >/dev/null || return
    nvidia-smi --query-gpu=name,memory.total,driver_version --format=csv,noheader >"$control/.cards" 2>/dev/null 3>&- &
    ticks=0
    while [ "$ticks" -lt $((10 * per_second)) ] && is_alive $!; do
        pause
        ticks=$((ticks + 1))
    done
    kill -KILL $! 2>/dev/null
    while read -r card; do
        printf '\ngpu=%s' "$card"
    done <"$control/.cards"
}

describe_container() {
    cpu=$(first_line "$(cgroup_file cpu.max cpu cpu.cfs_quota_us)")
    memory=$(first_line "$(cgroup_file memory.max memory memory.limit_in_bytes)")
    printf 'cpus_allowed=%s\ncpu_quota=%s\nmemory_limit=%s\nmemory_total=%s' \
        "$(value_of Cpus_allowed_list: /proc/self/status)" "$cpu" "$memory" "$(value_of MemTotal: /proc/meminfo)"
    graphics_cards
}

# is_alive PID: runs, and is not merely waiting for its parent to take notice of its end.
is_alive() {
    if [ -z "$proc_is_ours" ]; then
        kill -0 "$1" 2>/dev/null
        return
    fi
    state=
    while read -r key value; do
        [ "$key" = State: ] && state=$value && break
    done 2>/dev/null <"/proc/$1/status"
    case $state in
        '' | [ZX]*) return 1 ;;
    esac
}

start_agent() {
    log=/dev/null
    if { [ -d "$LOGS_DIR" ] || mkdir -p "$LOGS_DIR"; } && : >>"$LOGS_DIR/agent.log"; then
        log=$LOGS_DIR/agent.log
    else
        say "can't write $LOGS_DIR/agent.log, so the agent's output is lost"
    fi
    if command -v tail >/dev/null; then
        from=+1
        [ -s "$log" ] && from=0 # an agent that resumes has its earlier log back: that was shown before
        # Killed, we could not end it. GNU's tail ends with us of itself; BusyBox's only goes with its container.
        with_us=
        tail "--pid=$$" -n 0 /dev/null >/dev/null 2>&1 && with_us=--pid=$$
        (trap '' TERM HUP INT && exec tail ${with_us:+"$with_us"} -n "$from" -f "$log" 2>/dev/null) 3>&- &
        follower=$!
    fi
    unset CONTROL_DIR
    MLECTL_AGENT_OF=$control//
    export MLECTL_AGENT_OF
    set -m 2>/dev/null
    case $- in
        *m*) : ;;
        *) # No job control: the next best way to a process group of its own, and to Ctrl-C as every program expects it.
            env --default-signal=INT,QUIT sleep 0 2>/dev/null && set -- env --default-signal=INT,QUIT "$@"
            command -v setsid >/dev/null && set -- setsid "$@"
            ;;
    esac
    "$@" </dev/null >>"$log" 2>&1 3>&- &
    agent=$!
    set +m
    unset MLECTL_AGENT_OF
}

# The agent's processes that left its process group: they still carry the mark that we put into its environment.
strays() {
    [ "$proc_is_ours" ] || return
    marked "MLECTL_AGENT_OF=$control//" | while IFS=/ read -r _ _ pid _; do
        is_alive "$pid" && [ "$(group_of "$pid")" != "$agent" ] && printf '%s ' "$pid"
    done
}

# marked TEXT: environments that hold it. Without a grep for it we read them ourselves, which takes longer.
marked() {
    if greps_past_nul; then
        grep -lsF "$1" /proc/[0-9]*/environ 2>/dev/null
        return
    fi
    for environment in /proc/[0-9]*/environ; do
        while IFS= read -r line || [ -n "$line" ]; do
            case $line in
                *"$1"*) printf '%s\n' "$environment" && break ;;
            esac
        done 2>/dev/null <"$environment"
    done
}

# An environment is words with NULs between them, and the grep of BusyBox reads no further than the first.
greps_past_nul() {
    command -v grep >/dev/null && printf 'a\000b\n' | grep -qF b 2>/dev/null
}

# group_of PID: its process group. A program's name may hold anything, so what counts is after the last parenthesis.
group_of() {
    stat=$(first_line "/proc/$1/stat")
    # shellcheck disable=SC2086 # fields are wanted
    set -- ${stat##*) }
    printf '%s' "${3:-}"
}

# signal_tree SIGNAL: send it to everything the agent started.
#
# Only as process 1 may we signal "everybody": there it means our own container. Anywhere else it would be every process
# of the user whose machine this is.
signal_tree() {
    if [ "$$" -eq 1 ]; then
        kill "-$1" -1 2>/dev/null
        return
    fi
    # Once for each process: a second TERM would fall into the tidying up that the first one started.
    if kill "-$1" "-$agent" 2>/dev/null; then
        others=$(strays)
    else
        others=$(strays)
        others=${others:-$agent}
    fi
    for pid in $others; do
        kill "-$1" "$pid" 2>/dev/null
    done
}

tree_is_gone() {
    is_alive "$agent" && return 1
    if [ "$$" -eq 1 ]; then
        [ "$proc_is_ours" ] || return 1
        for folder in /proc/[0-9]*; do
            pid=${folder#/proc/}
            [ "$pid" -eq 1 ] || [ "$pid" = "$follower" ] || ! is_alive "$pid" || return 1
        done
        return 0
    fi
    kill -0 "-$agent" 2>/dev/null && return 1
    [ -z "$(strays)" ]
}

# asked_grace DEFAULT: the seconds in the courier's stop, if there is one and it makes sense. A number that the shell can't
# count with, such as 08, would be our end.
asked_grace() {
    seconds=
    [ -f "$control/stop" ] && seconds=$(first_line "$control/stop")
    [ -f "$control/collected" ] && seconds=0
    case $seconds in
        '' | *[!0-9]* | 0?* | ???????*) printf '%s' "$1" ;;
        *) printf '%s' "$seconds" ;;
    esac
}

# end_tree SECONDS: TERM, then KILL what is still there after so many seconds. The courier may cut the wait short.
end_tree() {
    signal_tree TERM
    signal_tree CONT # a stopped process would not hear it
    ticks=0
    while ! tree_is_gone; do
        grace=$(asked_grace "$1")
        [ "$grace" -lt "$1" ] || grace=$1
        if [ "$ticks" -ge $((grace * per_second)) ]; then
            signal_tree KILL
        fi
        touch_alive
        pause
        ticks=$((ticks + 1))
        [ "$ticks" -lt $(((grace + 30) * per_second)) ] || break # what does not die of KILL is the kernel's affair
    done
}

# Through a descriptor from before the agent was there: whatever it puts in that file's place, we never open it.
touch_alive() {
    printf . 2>/dev/null >&3
}

# Until the agent is over, by itself or because somebody wants it to be.
watch_agent() {
    ticks_watched=0
    while is_alive "$agent"; do
        touch_alive
        if [ "$terminated" ]; then
            publish stopping "$terminated"
            end_tree "$default_grace"
        elif [ -f "$control/stop" ]; then
            end_tree "$(asked_grace "$default_grace")"
        elif [ -f "$control/collected" ]; then
            end_tree 0
        fi
        # Quick at first, for agents that are done in a moment; then twice a second, to leave the CPUs to the agent.
        if [ "$ticks_watched" -lt $((10 * per_second)) ]; then
            pause
            ticks_watched=$((ticks_watched + 1))
        else
            sleep "$slow_tick"
        fi
    done
}

wait_for() {
    until [ -f "$control/$1" ]; do
        touch_alive
        pause
        if [ "$1" = go ]; then
            [ -f "$control/collected" ] && exit 0
            { [ "$terminated" ] || [ -f "$control/stop" ]; } && exit 143
        fi
    done
}

# An agent is started once. If we were here before and died, its end is all that is left to tell. Nobody starts us a second
# time, but that is not ours to rely on.
tell_of_lost_agent() {
    say "an earlier launcher of this attempt is gone; the agent is not started again"
    agent=0
    [ "$$" -eq 1 ] || for pid in $(strays); do kill -KILL "$pid" 2>/dev/null; done
    publish_surely ended "lost=1"
    wait_for collected
    exit 137
}

main() {
    control=${CONTROL_DIR:?is not set: it names the folder that the launcher shares with the courier}
    LOGS_DIR=${LOGS_DIR:-/home/logs}
    [ "$1" = -- ] && shift
    if [ $# -eq 0 ]; then
        say "no command to start; say: launch.sh -- COMMAND [ARGUMENT...]"
        exit 2
    fi
    command -v sleep >/dev/null && command -v mv >/dev/null || PATH=${PATH:+$PATH:}/usr/local/bin:/usr/bin:/bin
    tick=1 slow_tick=1 per_second=1
    sleep 0.01 2>/dev/null && tick=0.1 slow_tick=0.5 per_second=10
    read -r own_pid _ 2>/dev/null </proc/self/stat
    proc_is_ours=
    [ "${own_pid:-}" = "$$" ] && proc_is_ours=1
    terminated= follower= junk=0
    trap 'terminated=TERM' TERM
    trap 'terminated=INT' INT
    trap 'terminated=HUP' HUP

    clear_way "$control/alive"
    exec 3>"$control/alive"
    [ -f "$control/started" ] && tell_of_lost_agent
    if [ -n "${INSTRUCTIONS:-}" ] && [ -f "$control/instructions.txt" ]; then
        cp "$control/instructions.txt" "$INSTRUCTIONS" || exit 1
    fi
    oom_kills_before=$(count_oom_kills)
    publish_surely ready "$(describe_container)"
    wait_for go
    default_grace=60
    seconds=$(first_line "$control/go")
    case $seconds in '' | *[!0-9]*) : ;; *) default_grace=$seconds ;; esac

    start_agent "$@"
    publish_surely started "pid $agent"
    watch_agent
    wait "$agent"
    code=$?
    tree_is_gone || end_tree 2
    publish_surely ended "exit_code=$code
oom_kills_before=$oom_kills_before
oom_kills_after=$(count_oom_kills)
terminated=$terminated"
    wait_for collected
    [ -n "$follower" ] && kill -KILL "$follower" 2>/dev/null
    exit "$code"
}

main "$@"
exit
