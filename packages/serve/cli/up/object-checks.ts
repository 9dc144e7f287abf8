import { analysisChecks } from '@tiphys/analysis';
import { workflowChecks } from '@tiphys/workflows';

/** What the families beside Applications find wrong in objects that are delivered, by `group/Kind`. */
export const objectChecks = new Map([...workflowChecks, ...analysisChecks]);
