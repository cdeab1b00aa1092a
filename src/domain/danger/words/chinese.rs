//! Chinese: no spaces, so the words are looked for in the whole clause, and a negation in what stands before.

use super::Language;

pub(super) const WORDS: Language = Language {
    name: "zh",
    strong: &[
        "删除",
        "删掉",
        "删了",
        "删光",
        "清空",
        "销毁",
        "覆盖",
        "抹掉",
        "抹除",
        "擦除",
        "格式化",
        "强制推送",
        "强推",
        "支付",
        "付款",
        "购买",
        "终止",
        "注销",
        "吊销",
        "卸载",
        "丢弃",
        "永久",
        "摧毁",
        "删库",
        "刪除",
        "覆蓋",
        "銷毀",
        "清除",
        "退款",
        "转账",
        "扣款",
        "作废",
    ],
    weak: &[
        "移除", "重置", "停止", "重启", "关闭", "替换", "部署", "发布", "上线", "迁移", "发送", "取消", "禁用", "回滚",
        "移走", "停掉", "关掉",
    ],
    dear: &[
        "表",
        "数据",
        "库",
        "列",
        "桶",
        "卷",
        "磁盘",
        "硬盘",
        "分区",
        "记录",
        "用户",
        "账户",
        "账号",
        "客户",
        "备份",
        "历史",
        "仓库",
        "服务器",
        "集群",
        "生产",
        "线上",
        "实例",
        "文件",
        "目录",
        "分支",
        "更改",
        "密钥",
        "证书",
        "所有",
        "全部",
        "订阅",
        "资金",
        "防火墙",
    ],
    passive: &[],
    coming: &[],
    last: &["不可撤销", "无法撤销", "不可逆", "无法恢复", "不能撤销", "不可恢复"],
    named: &["按钮", "图标", "函数", "方法", "接口", "快捷键", "标签"],
    unspaced: true,
};

/// Right before a word: it is not to be done, or is taken back.
const FORBID: [&str; 17] = [
    "不要",
    "不会",
    "不",
    "别",
    "勿",
    "无需",
    "不必",
    "没有",
    "未",
    "禁止",
    "避免",
    "防止",
    "撤销",
    "取消",
    "恢复已",
    "恢复被",
    "不能",
];

/// A negation that only asks: `要不要删除`, `为什么不删除`.
const ASK: [&str; 6] = ["要不要", "为什么不", "何不", "能不能", "可不可以", "是不是"];

/// The first danger in a clause.
pub(super) fn find(language: &Language, clause: &str) -> Option<String> {
    if let Some(phrase) = language.last.iter().find(|phrase| clause.contains(**phrase)) {
        return Some((*phrase).to_owned());
    }
    let dear = language.dear.iter().find(|what| clause.contains(**what));
    let meant = |word: &&&str| clause.match_indices(**word).any(|(at, _)| is_meant(language, clause, at, word.len()));
    if let Some(word) = language.strong.iter().find(meant) {
        return Some((*word).to_owned());
    }
    let dear = dear?;
    language.weak.iter().find(meant).map(|word| format!("{word} … {dear}"))
}

fn is_meant(language: &Language, clause: &str, at: usize, length: usize) -> bool {
    let (before, after) = (&clause[..at], &clause[at + length..]);
    let asks = ASK.iter().any(|ask| before.ends_with(ask));
    let forbidden = FORBID.iter().any(|no| before.ends_with(no)) && !asks;
    let named = language.named.iter().any(|what| after.starts_with(what));
    !forbidden && !named
}
