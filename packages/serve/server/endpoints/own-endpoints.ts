import type { ServerContext } from '../context/server-context.ts';
import { serveApplicationComparison } from './application-comparison.ts';
import { serveApplicationList } from './application-list.ts';
import { serveApplicationOrigin } from './application-origin.ts';
import { serveApplicationParameters } from './application-parameters.ts';
import { serveApplicationPlan } from './application-plan.ts';
import { serveApplicationPreview } from './application-preview.ts';
import { serveApplicationRenders } from './application-renders.ts';
import { serveApplicationWindows } from './application-windows.ts';
import { serveApplicationSets } from './applicationset-preview.ts';
import { serveEvents } from './families/events.ts';
import { serveNotifications } from './families/notifications.ts';
import { serveRolloutService } from './families/rollout-service.ts';
import { serveRollouts } from './families/rollouts.ts';
import { workflowApi } from './families/workflow-api.ts';
import { serveWorkflows } from './families/workflows.ts';
import { serveHistory } from './history.ts';
import type { OwnEndpoint, OwnRequest } from './own-api.ts';
import { servePreview } from './preview.ts';
import { serveProjectRules } from './project-rules.ts';
import { servePromotion } from './promotion.ts';
import { serveRepositoryConnections } from './repository-connections.ts';
import { serveResourceList } from './resource-list.ts';
import { serveSchemas } from './schemas.ts';
import { serveSelfManagement } from './self-management.ts';
import { upgradeEndpoint } from './upgrade.ts';

/** Our own API, below `/api/tiphys/v1`; answers undefined for paths that none of its endpoints has. */
export function ownEndpoints(context: ServerContext): (asked: OwnRequest) => Promise<void> | undefined {
  const endpoints: readonly OwnEndpoint[] = [
    serveRepositoryConnections,
    serveNotifications,
    serveApplicationPreview,
    serveApplicationParameters,
    serveApplicationList,
    serveResourceList,
    serveApplicationRenders,
    serveApplicationWindows,
    serveApplicationOrigin,
    serveApplicationComparison,
    serveApplicationPlan,
    serveSchemas,
    serveProjectRules,
    upgradeEndpoint(context),
    serveApplicationSets,
    serveRollouts,
    serveSelfManagement,
    serveRolloutService,
    serveWorkflows,
    workflowApi(context),
    serveEvents,
    serveHistory,
    servePreview,
    servePromotion,
  ];
  return (asked) => {
    for (const endpoint of endpoints) {
      const answer = endpoint(asked, context);
      if (answer) return answer;
    }
    return undefined;
  };
}
