import type { KubeObject } from '@tiphys/kubernetes';
import type { Pod } from '../../model/types.ts';

export type PodObject = KubeObject & Pick<Pod, 'spec' | 'status'>;
