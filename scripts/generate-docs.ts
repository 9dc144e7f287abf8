import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './architecture.ts';
import { architecturePage } from './checks/check-layers.ts';
import { writeDeployManifests } from './generate/deploy-manifests.ts';
import { diagnosesPage } from './generate/diagnoses.ts';
import { writeKindTypes } from './generate/kind-types.ts';
import { syncOptionsPage } from './generate/sync-options.ts';

writeFileSync(join(root, 'docs', 'diagnoses.md'), await diagnosesPage());
writeFileSync(join(root, 'docs', 'architecture.md'), architecturePage());
writeFileSync(join(root, 'docs', 'sync-options.md'), syncOptionsPage());
writeDeployManifests();
writeKindTypes();
