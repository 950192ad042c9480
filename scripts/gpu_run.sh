#!/usr/bin/env bash
# pytest --gotchas on a GPU machine that has torch and Triton but no internet.
#
#   scripts/gpu_run.sh pack WHEELS [PYTHON]      with internet: wheels of gpu-gotchas and what it needs
#   scripts/gpu_run.sh run WHEELS RESULTS [ARG]  without: run from a throwaway folder; ARGs go to pytest
#
# Then, in a working copy: gotchas results add RESULTS
set -euo pipefail

pack() {
    local wheels=$1 python=${2:-3.12}
    mkdir -p "$wheels"
    rm -f "$wheels"/*.whl
    python3 -m pip wheel --quiet --no-deps --wheel-dir "$wheels" .
    # torch and Triton are the machine's own: nothing here depends on them.
    python3 -m pip download --quiet --only-binary=:all: --dest "$wheels" \
        --python-version "$python" --implementation cp --abi "cp${python/./}" --abi abi3 --abi none \
        --platform manylinux_2_28_x86_64 --platform manylinux_2_17_x86_64 --platform manylinux2014_x86_64 \
        "$wheels"/gpu_gotchas-*.whl 'pytest>=8.3'
    du -sh "$wheels"
}

run() {
    local wheels results site
    wheels=$(realpath "$1") results=$(realpath -m "$2")
    shift 2
    site=$(mktemp -d)
    python3 -m pip install --quiet --no-index --no-deps --no-compile --target "$site/packages" "$wheels"/*.whl
    mkdir "$site/empty"
    cd "$site/empty"
    PYTHONPATH="$site/packages" python3 -m pytest --gotchas --gotcha-report "$results" \
        -p no:cacheprovider "$@"
}

case ${1:-} in
    pack | run) "$@" ;;
    *) sed -n '2,8s/^# \{0,1\}//p' "$0"; exit 2 ;;
esac
