import type { Catalogue } from '../texts.ts';

export const rollouts: Catalogue = {
  'revision {revision}': 'リビジョン {revision}',
  'Revision {revision}': 'リビジョン {revision}',
  'paused {ago}': '{ago} に一時停止',
  Revisions: 'リビジョン',
  Analyses: '分析',
  Experiments: 'Experiment',
  'dry run': 'ドライラン',
  'succeeds if {condition}': '成功条件 {condition}',
  'fails if {condition}': '失敗条件 {condition}',
  '{count} measured, last {value}': '測定 {count} 回、最終値 {value}',
  'Nothing measured yet': 'まだ測定されていません',
  'Measurements of {name}': '{name} の測定値',
  'Succeeds by its comparison with {value}': '{value} との比較で成功',
  'Fails by its comparison with {value}': '{value} との比較で失敗',
  '{available} of {pods} pods available': 'Pod {pods} 個中 {available} 個が利用可能',
  'Analysis {name}': '分析 {name}',
  'It has no ReplicaSets yet.': 'ReplicaSet はまだありません。',
  'It has no ReplicaSets yet': 'ReplicaSet はまだありません',
  'no pods': 'Pod なし',
  'Pods of revision {revision} that are available': 'リビジョン {revision} の利用可能な Pod',
  '{available} of {wanted} available': '{wanted} 個中 {available} 個が利用可能',
  '{pods} pods, {ready} ready': 'Pod {pods} 個、準備完了 {ready} 個',
  'Set image': 'イメージを設定',
  Image: 'イメージ',
  'There is no earlier revision': '以前のリビジョンはありません',
  'Steps {steps}': 'ステップ {steps}',
  'Canary {weight}': 'Canary {weight}',
  'Weight of the canary': 'Canary の重み',
  '{actual} % of {desired} %': '{desired} % 中 {actual} %',
  'Needs the right clusters, update, * in argocd-rbac-cm': 'argocd-rbac-cm で clusters, update, * の権限が必要です',
  'The update is aborted: retry it first': '更新は中止されています。先に再試行してください',
  'No update is under way': '進行中の更新はありません',
  'Promote fully': '完全に昇格',
  Abort: '中止',
  Retry: '再試行',
  Restart: '再起動',
  'All steps, pauses and analyses that are left of {name} are skipped: its new revision becomes the stable one at once.':
    '{name} の残りのステップ、一時停止、分析をすべてスキップし、新しいリビジョンがすぐに安定版になります。',
  'The update of {name} ends: traffic and pods go back to the stable revision, and the Rollout is Degraded until it is retried or its template is put back.':
    '{name} の更新を終了します。トラフィックと Pod は安定版のリビジョンに戻り、再試行するかテンプレートを元に戻すまで Rollout は Degraded になります。',
  'The update is aborted already': '更新はすでに中止されています',
  'The update of {name} that was aborted begins again at its first step.':
    '中止された {name} の更新を最初のステップからやり直します。',
  'No update was aborted': '中止された更新はありません',
  'All pods of {name} are replaced by new ones of the same revisions, a few at a time, as its maxUnavailable allows.':
    '{name} のすべての Pod を、maxUnavailable の範囲で少しずつ、同じリビジョンの新しい Pod に置き換えます。',
  'It is the stable one: the update under way ends without its steps.':
    'これは安定版のため、進行中の更新はステップを実行せずに終了します。',
  'An update begins, with all its steps, pauses and analyses, unless spec.rollbackWindow has it.':
    'spec.rollbackWindow に含まれない限り、すべてのステップ、一時停止、分析を伴う更新が始まります。',
  'The template of {name} becomes that of revision {revision} ({images}) again.':
    '{name} のテンプレートをリビジョン {revision} ({images}) のものに戻します。',
  'Container {container} of {name} gets {image}: an update begins, with all its steps, pauses and analyses.':
    '{name} のコンテナ {container} を {image} に変更し、すべてのステップ、一時停止、分析を伴う更新を開始します。',
  'the image': '指定のイメージ',
  'Where an Application delivers it, its next sync puts back what Git has: take the change there, too.':
    'Application から配信されている場合、次の同期で Git の内容に戻ります。Git にも同じ変更をしてください。',
  'The active Service of {name} is switched to the new revision.':
    '{name} のアクティブな Service を新しいリビジョンに切り替えます。',
  'Next step: {step}.': '次のステップ: {step}。',
  'It was the last step: the new revision becomes the stable one.':
    '最後のステップのため、新しいリビジョンが安定版になります。',
  'The pause of {name} ends, and its update goes on.': '{name} の一時停止を終え、更新を続行します。',
  '{name} is resumed.': '{name} を再開します。',
  'The update of {name} goes on.': '{name} の更新を続行します。',
  'The step at hand of {name} ({step}) is skipped.': '{name} の現在のステップ ({step}) をスキップします。',
  stable: '安定版',
  active: 'アクティブ',
  canary: 'Canary',
  preview: 'プレビュー',
  'Filter by name, namespace, phase': '名前、名前空間、フェーズで絞り込み',
  'No rollouts yet.': 'Rollout はまだありません。',
  'Nothing matches the filter.': 'フィルターに一致するものはありません。',
};
