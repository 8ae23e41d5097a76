# Submits an experiment, waits for its end and prints its report; ends with a sentence and 1 if there is none.
name="helm-test-$(date +%s)"
experiment="$NAMESPACE/$name"
sed "s/^  name: NAME$/  name: $name/" "${0%/*}/experiment.yaml" > "$HOME/$name.yaml"

fail() {
    echo "helm test: $1" >&2
    exit 1
}

mlectl submit "$HOME/$name.yaml" --namespace "$NAMESPACE" || fail "the experiment was not taken; the lines above say why."
timeout "$SECONDS_ALLOWED" mlectl status "$experiment" --watch
phase=$(mlectl status "$experiment" -o yaml | sed -n 's/^  phase: //p')
if [ "$phase" != Succeeded ]; then
    mlectl failures "$experiment"
    fail "$experiment is ${phase:-of no known phase} after at most $SECONDS_ALLOWED s, not Succeeded. It is still there: mlectl runs $experiment"
fi
mlectl report "$experiment" || fail "$experiment has succeeded, but its report can't be read; is the store reachable from this namespace?"
mlectl delete "$experiment" --results --yes || fail "$experiment has succeeded, but can't be deleted."
echo "helm test: an experiment went from its submission to its report."
