import proto from "@temporalio/proto";

/** An activity in a history: its name and its result. */
export interface RanActivity {
  readonly name: string;
  readonly result: unknown;
}

/** Builds the history of a workflow as Temporal's server would record it: activities that ran one after the other. */
export function temporalHistory(workflow: string, input: unknown, activities: readonly RanActivity[], output: unknown) {
  const events: object[] = [];
  const add = (eventType: string, attributes: object): number => {
    const kind = eventType.toLowerCase().replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
    events.push({
      eventId: events.length + 1,
      eventTime: { seconds: 1_767_225_600 },
      eventType: `EVENT_TYPE_${eventType}`,
      [`${kind}EventAttributes`]: attributes,
    });
    return events.length;
  };
  const taskQueue = { name: "agents" };
  const workflowTask = (): number => {
    const scheduledEventId = add("WORKFLOW_TASK_SCHEDULED", {
      taskQueue,
      startToCloseTimeout: { seconds: 10 },
      attempt: 1,
    });
    const startedEventId = add("WORKFLOW_TASK_STARTED", { scheduledEventId });
    // Histories of current SDKs have the flag that makes replay compare the types of activities and not only their
    // order.
    const sdkMetadata = { coreUsedFlags: [1] };
    return add("WORKFLOW_TASK_COMPLETED", { scheduledEventId, startedEventId, sdkMetadata });
  };
  add("WORKFLOW_EXECUTION_STARTED", {
    ...{ workflowType: { name: workflow }, taskQueue, input: payloads(input), attempt: 1 },
    ...{ workflowTaskTimeout: { seconds: 10 }, originalExecutionRunId: RUN, firstExecutionRunId: RUN },
  });
  for (const [index, { name, result }] of activities.entries()) {
    const workflowTaskCompletedEventId = workflowTask();
    const scheduledEventId = add("ACTIVITY_TASK_SCHEDULED", {
      ...{ activityId: `${index + 1}`, activityType: { name }, taskQueue, workflowTaskCompletedEventId },
      startToCloseTimeout: { seconds: 300 },
    });
    const startedEventId = add("ACTIVITY_TASK_STARTED", { scheduledEventId, attempt: 1 });
    add("ACTIVITY_TASK_COMPLETED", { scheduledEventId, startedEventId, result: payloads(result) });
  }
  add("WORKFLOW_EXECUTION_COMPLETED", {
    workflowTaskCompletedEventId: workflowTask(),
    result: payloads(output),
  });
  return proto.temporal.api.history.v1.History.fromObject({ events });
}

const RUN = "6b1e6a1c-6b55-4c1e-9d3f-0a5a3e1d7c11";
const base64 = (text: string): string => Buffer.from(text).toString("base64");

function payloads(value: unknown) {
  const isNothing = value === undefined || value === null;
  const metadata = { encoding: base64(isNothing ? "binary/null" : "json/plain") };
  return { payloads: [isNothing ? { metadata } : { metadata, data: base64(JSON.stringify(value)) }] };
}
