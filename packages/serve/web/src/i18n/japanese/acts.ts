import type { Catalogue } from '../texts.ts';

/** Menus, remedies and who wrote what. */
export const acts: Catalogue = {
  'Allow it in project {name}': 'プロジェクト {name} で許可',
  'Confirm the deletion': '削除を承認',
  'Ignore the difference': '差分を無視',
  'Set the option': 'オプションを設定',
  'Sync again …': '再同期 …',
  'This is added to the project, and holds for all of its applications:': '次をプロジェクトに追加します。プロジェクトの全アプリケーションに適用されます:',
  'adds {what} to this application': 'このアプリケーションに {what} を追加します',
  'Who wrote this …': '誰が書いたか …',
  'Who wrote what differs in {object}': '{object} の差分を書いたのは誰か',
  'In the cluster': 'クラスター側',
  'In the repository': 'リポジトリ側',
  nobody: 'なし',
  'Refresh {name}': '{name} を更新',
  'Sync …': '同期 …',
  'Go to its page': 'ページへ移動',
  'Go to the page of {name}': '{name} のページへ',
  'Edit the sync window': '同期ウィンドウを編集',
  'Not logged in': '未ログイン',
  'Nobody can log in: there is neither a local account that may, nor single sign-on. Set admin.enabled or oidc.config in the ConfigMap argocd-cm.': 'ログインできる手段がありません: ローカルアカウントもシングルサインオンもありません。ConfigMap argocd-cm に admin.enabled または oidc.config を設定してください。',
  '{what}, backwards': '{what}（逆順）',
  'Sync the application that is shown': '表示中のアプリケーションを同期',
  'Refresh the application that is shown': '表示中のアプリケーションを更新',
};
