# Installs a Chromium, and sets `axe` to the accessibility checks: sourced at the project's top by the scripts that use a browser.
# shellcheck shell=bash
scripts/setup browser
python=.build-browser/python
if [ ! -x "$python/bin/pip" ]; then python3 -m venv "$python"; fi
"$python/bin/pip" install -q --disable-pip-version-check --no-deps --require-hashes -r e2e/browser/requirements.txt
# shellcheck disable=SC2034 # for the scripts
axe=$(echo "$PWD/$python"/lib/python3*/site-packages/axe_playwright_python/axe.min.js)
