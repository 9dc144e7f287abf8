import type { flow } from '@tiphys/api';

export type Container = flow.Container;
export type EnvVarLike = flow.EnvVar;
export type VolumeMount = flow.VolumeMount;
export type Volume = flow.Volume;
