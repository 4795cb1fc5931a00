#!/usr/bin/env bash
# Creates docs/page.png and docs/page-phone.png: screenshots of a loop in a browser test.
# Needs Chromium's driver, and npm's axe-core: see CONTRIBUTING.md.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

mvn -q test -Pclients -pl :ralph-web -am -Dtest=PageInBrowserTest -Dsurefire.failIfNoSpecifiedTests=false
cp agents/ralph-web/target/page/working.png docs/page.png
cp agents/ralph-web/target/page/working-phone.png docs/page-phone.png
