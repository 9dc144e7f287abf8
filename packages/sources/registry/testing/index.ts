export {
  type HelmRepositoryBehaviour,
  type HelmRepositoryServer,
  startHelmRepository,
} from './helm-repository-server.ts';
export {
  type OciRegistryBehaviour,
  type OciRegistryServer,
  type PushedArtifact,
  startOciRegistry,
} from './oci-registry-server.ts';
export { packageChart } from './package-chart.ts';
export { type ChartSigner, makeSigner } from './sign-chart.ts';
export {
  type SeenRequest,
  startTestServer,
  type TestAnswer,
  type TestServer,
  type TestServerTls,
} from './test-server.ts';
