import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { diagnosesPage } from './diagnoses.ts';

writeFileSync(join(import.meta.dirname, '..', 'docs', 'diagnoses.md'), await diagnosesPage());
