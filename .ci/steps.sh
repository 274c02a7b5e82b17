# What .ci/run and .ci/release share: steps with budgets, and programs that tests start. Sourced by bash.

title="" budget=0 begun=0 took=""

# Begin a step that may take so many seconds: step SECONDS TITLE. Beyond its budget it goes on, but the report shows it.
step() {
    end_step
    budget=$1 title=$2 begun=$SECONDS
    printf '\n== %s s: %s\n' "$SECONDS" "$title"
}

# Tell what a step took beside its budget.
end_step() {
    [ -n "$title" ] || return 0
    local line
    line=$(printf '%5s s of %4s s  %s' $((SECONDS - begun)) "$budget" "$title")
    [ $((SECONDS - begun)) -le "$budget" ] || line="$line (OVER BUDGET)"
    printf -- '-- %s\n' "$line"
    took="$took$line"$'\n' title=""
}

# Tell what all steps took beside the budget of the whole.
report() {
    end_step
    printf '\n%s%5s s of %4s s  the whole\n' "$took" "$SECONDS" "$1"
}

# Wait for a job, and show what it has printed: finish JOB LOG.
finish() {
    local status=0
    wait "$1" || status=$?
    cat "$2"
    [ "$status" = 0 ] || exit "$status"
}

# Debian's packages, unless a command is there already: debian COMMAND PACKAGE...
debian() {
    command -v "$1" > /dev/null || { apt-get update --quiet && apt-get install --yes --quiet "${@:2}"; }
}

# Programs that tests start or run.
install_programs() {
    echo "the packages of the reader in JavaScript, which a test runs"
    debian npm nodejs npm
    npm install --silent --no-package-lock --prefix docs/examples

    echo "Chromium and axe-core, with which tests look at pages"
    debian chromium chromium
    npm install --silent --no-package-lock --prefix tests/web/pages

    echo "pdftotext, with which tests read sheets"
    debian pdftotext poppler-utils

    echo "PostgreSQL, of which tests start servers of their own"
    ls /usr/lib/postgresql/*/bin/initdb > /dev/null 2>&1 || {
        apt-get update --quiet
        apt-get install --yes --quiet postgresql-common
        # Otherwise the package starts a server that nobody would stop.
        sed -i 's/^#* *create_main_cluster.*/create_main_cluster = false/' /etc/postgresql-common/createcluster.conf
        apt-get install --yes --quiet postgresql
    }
}
