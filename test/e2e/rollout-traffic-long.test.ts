import { test } from 'node:test';
import { updateUnderLoad } from './update-under-load.ts';

const updates = 100;

test(`no request fails in ${updates} updates`, { timeout: 1_800_000 }, (t) => updateUnderLoad(t, updates));
