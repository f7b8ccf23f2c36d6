import { alertCodes } from '@roost/api-types/checks'
import { rpc } from '../../api/client.js'
import type { RuleRecord } from '../../api/queries/alerts.js'
import { FlagField, SelectField, TextField } from '../../form/fields.js'
import { FormDialog } from '../../form/form-dialog.js'
import { useClusterOptions } from '../../shell/use-cluster.js'
import { t } from '../../words/text.js'
import { checkRule, ruleChange, ruleInput, ruleValues } from './rule-values.js'
import type { RuleValues } from './rule-values.js'
import { Scope } from './scope.js'
import { severities } from './severities.js'

interface RuleFormProps {
  /** Undefined: a new one. */
  readonly rule: RuleRecord | undefined
  readonly onClose: () => void
}

/** Adds a rule for the alerts of a code, or changes one. A rule keeps its code and its cluster. */
export function RuleForm({ rule, onClose }: RuleFormProps) {
  const clusters = useClusterOptions()
  const title = rule === undefined ? t('rules.new') : t('rules.changeOf', { code: rule.code })
  return (
    <FormDialog<RuleValues, unknown>
      title={title}
      submit={t('rules.save')}
      initial={ruleValues(rule)}
      check={checkRule}
      save={(values) =>
        rule === undefined
          ? rpc.alertRules.create.mutate(ruleInput(values))
          : rpc.alertRules.change.mutate({ id: rule.id, change: ruleChange(values) })
      }
      changes="alerts"
      saved={() => t('rules.saved')}
      onClose={onClose}
    >
      {(form) => (
        <>
          {rule === undefined ? (
            <>
              <SelectField
                form={form}
                name="code"
                label={t('rules.code')}
                options={[...new Set(alertCodes)].toSorted().map((code) => [code, code])}
                none={t('ui.choose')}
              />
              <SelectField
                form={form}
                name="cluster"
                label={t('rules.cluster')}
                {...clusters}
                none={t('rules.everyCluster')}
              />
            </>
          ) : (
            <p className="muted">
              {t('rules.cluster')}: <Scope cluster={rule.cluster} />
            </p>
          )}
          <FlagField form={form} name="enabled" label={t('rules.enabled')} help={t('rules.enabled.help')} />
          <SelectField
            form={form}
            name="severity"
            label={t('rules.severity')}
            options={severities()}
            none={t('rules.asCheck')}
          />
          <TextField
            form={form}
            name="for_seconds"
            type="number"
            label={t('rules.forSeconds')}
            help={t('rules.forSeconds.help')}
          />
          <TextField form={form} name="comment" label={t('rules.comment')} help={t('rules.comment.help')} />
        </>
      )}
    </FormDialog>
  )
}
