import { Text, Title } from '@mantine/core';
import { t } from '../../i18n/texts.ts';

const firstApplication = `kubectl apply -f - <<EOF
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: shop, namespace: argocd}
spec:
  project: default
  source: {repoURL: https://example.com/shop.git, path: deploy}
  destination: {server: https://kubernetes.default.svc, namespace: shop}
  syncPolicy: {automated: {prune: true, selfHeal: true}}
EOF`;

/** What is shown where there is no application yet. */
export function FirstApplication() {
  return (
    <div className="panel" style={{ padding: 32 }}>
      <Title order={4}>{t('No applications yet')}</Title>
      <Text className="soft" mt="xs">
        {t('Apply one and it appears here:')}
      </Text>
      <pre className="snippet mono">{firstApplication}</pre>
    </div>
  );
}
