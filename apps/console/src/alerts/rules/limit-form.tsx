import { rpc } from '../../api/client.js'
import type { LimitRecord } from '../../api/queries/alerts.js'
import { FlagField, RadioField, SelectField, TextField } from '../../form/fields.js'
import { FormDialog } from '../../form/form-dialog.js'
import type { Form } from '../../form/use-form.js'
import { useClusterOptions } from '../../shell/use-cluster.js'
import { t } from '../../words/text.js'
import { checkLimit, limitChange, limitInput, limitValues } from './limit-values.js'
import type { LimitValues } from './limit-values.js'
import { Scope } from './scope.js'
import { severities } from './severities.js'

interface LimitFormProps {
  /** Undefined: a new one. */
  readonly limit: LimitRecord | undefined
  readonly onClose: () => void
}

/** Adds a limit of a metric, or changes one. A limit keeps its name, its cluster and its level. */
export function LimitForm({ limit, onClose }: LimitFormProps) {
  const title = limit === undefined ? t('limits.new') : t('limits.changeOf', { name: limit.name })
  return (
    <FormDialog<LimitValues, unknown>
      title={title}
      submit={t('limits.save')}
      initial={limitValues(limit)}
      check={checkLimit}
      save={(values) =>
        limit === undefined
          ? rpc.alertMetricRules.create.mutate(limitInput(values))
          : rpc.alertMetricRules.change.mutate({ id: limit.id, change: limitChange(values) })
      }
      changes="alerts"
      saved={() => t('rules.saved')}
      onClose={onClose}
    >
      {(form) => (
        <>
          {limit === undefined ? (
            <NewLimitFields form={form} />
          ) : (
            <p className="muted">
              {t(`limits.level.${limit.level}`)}, {t('rules.cluster')}: <Scope cluster={limit.cluster} />
            </p>
          )}
          <LimitFields form={form} />
        </>
      )}
    </FormDialog>
  )
}

interface FieldsProps {
  readonly form: Form<LimitValues>
}

/** What a limit keeps. */
function NewLimitFields({ form }: FieldsProps) {
  const clusters = useClusterOptions()
  return (
    <>
      <TextField form={form} name="name" label={t('limits.name')} help={t('limits.name.help')} />
      <RadioField
        form={form}
        name="level"
        label={t('limits.level')}
        options={(['node', 'cluster'] as const).map((level) => [level, t(`limits.level.${level}`)])}
      />
      <SelectField form={form} name="cluster" label={t('rules.cluster')} {...clusters} none={t('rules.everyCluster')} />
    </>
  )
}

function LimitFields({ form }: FieldsProps) {
  return (
    <>
      <TextField form={form} name="metric" label={t('limits.metric')} help={t('limits.metric.help')} isCode />
      <div className="form-pair">
        <SelectField
          form={form}
          name="comparison"
          label={t('limits.comparison')}
          options={(['above', 'below'] as const).map((side) => [side, t(`limits.${side}`)])}
        />
        <TextField form={form} name="threshold" type="number" label={t('limits.threshold')} />
      </div>
      <div className="form-pair">
        <TextField form={form} name="end_threshold" type="number" label={t('limits.end')} help={t('limits.end.help')} />
        <TextField form={form} name="for_seconds" type="number" label={t('rules.forSeconds')} />
      </div>
      <SelectField form={form} name="severity" label={t('rules.severity')} options={severities()} />
      <FlagField form={form} name="enabled" label={t('limits.enabled')} />
      <TextField form={form} name="comment" label={t('rules.comment')} help={t('rules.comment.help')} />
    </>
  )
}
