// Loaded when metrics are read for the first time.
import { type HrTime, ValueType } from '@opentelemetry/api'
import { PrometheusSerializer } from '@opentelemetry/exporter-prometheus'
import { emptyResource } from '@opentelemetry/resources'
import { AggregationTemporality, DataPointType, type MetricData } from '@opentelemetry/sdk-metrics'
import type { FamilySnapshot } from './families.ts'

const serializer = new PrometheusSerializer(undefined, false, undefined, true, true)
/** The text contains no timestamps. */
const noTime: HrTime = [0, 0]

/** Formats the families in Prometheus' text format 0.0.4. */
export function expositionOf(families: readonly FamilySnapshot[]): string {
  return serializer.serialize({
    resource: emptyResource(),
    scopeMetrics: [{ scope: { name: 'sluice' }, metrics: families.map(dataOf) }],
  })
}

function dataOf(family: FamilySnapshot): MetricData {
  const { name, description, unit } = family
  const descriptor = { name, description, unit, valueType: ValueType.DOUBLE }
  const aggregationTemporality = AggregationTemporality.CUMULATIVE
  if (family.kind === 'histogram')
    return {
      descriptor,
      aggregationTemporality,
      dataPointType: DataPointType.HISTOGRAM,
      dataPoints: family.points.map(({ labels, counts, sum }) => ({
        ...pointOf(labels),
        value: {
          buckets: { boundaries: [...family.bounds], counts: [...counts] },
          sum,
          count: counts.reduce((all, count) => all + count, 0),
        },
      })),
    }
  const dataPoints = family.points.map(({ labels, value }) => ({ ...pointOf(labels), value }))
  return family.kind === 'gauge'
    ? { descriptor, aggregationTemporality, dataPointType: DataPointType.GAUGE, dataPoints }
    : {
        descriptor,
        aggregationTemporality,
        dataPointType: DataPointType.SUM,
        isMonotonic: true,
        dataPoints,
      }
}

function pointOf(attributes: FamilySnapshot['points'][number]['labels']) {
  return { startTime: noTime, endTime: noTime, attributes }
}
