#!/usr/bin/env node
// The executable of the checkout: the bootstrap finds the pinned runtime and installs what is missing.
await import('../../../../scripts/bootstrap.mjs');
