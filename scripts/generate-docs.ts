import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './architecture.ts';
import { architecturePage } from './check-layers.ts';
import { writeDeployManifests } from './deploy-manifests.ts';
import { diagnosesPage } from './diagnoses.ts';
import { writeKindTypes } from './kind-types.ts';
import { syncOptionsPage } from './sync-options.ts';

writeFileSync(join(root, 'docs', 'diagnoses.md'), await diagnosesPage());
writeFileSync(join(root, 'docs', 'architecture.md'), architecturePage());
writeFileSync(join(root, 'docs', 'sync-options.md'), syncOptionsPage());
writeDeployManifests();
writeKindTypes();
