#!/usr/bin/env bash
# Creates docs/page*.png: screenshots of the browser tests.
# Needs Chromium's driver, and npm's axe-core: see CONTRIBUTING.md.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

mvn -q test -Pclients -pl :ralph-web -am -Dtest='PageInBrowserTest,PageJobsTest' -Dsurefire.failIfNoSpecifiedTests=false
for pair in working:page working-phone:page-phone overview:page-overview iteration-1440:page-iteration \
  review-1440:page-review session-1440-dark:page-dark; do cp "agents/ralph-web/target/page/${pair%:*}.png" "docs/${pair#*:}.png"; done
