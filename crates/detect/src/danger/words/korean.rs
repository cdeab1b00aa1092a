//! Korean: the words of danger, as programs and people write them. Its endings are many, so that a word is looked for
//! wherever it stands.

use super::Language;

pub(super) const WORDS: Language = Language {
    name: "ko",
    strong: &[
        "삭제",
        "지우",
        "지울",
        "지웁",
        "덮어쓰",
        "덮어쓸",
        "덮어씁",
        "초기화",
        "포맷",
        "파기",
        "폐기",
        "말소",
        "제거",
        "강제 푸시",
        "강제 종료",
        "결제",
        "구매",
        "해지",
        "탈퇴",
        "취소할 수 없",
        "비우",
        "비울",
    ],
    weak: &["재설정", "중지", "중단", "재시작", "교체", "배포", "전송", "비활성", "롤백", "종료", "닫"],
    dear: &[
        "파일",
        "데이터",
        "테이블",
        "볼륨",
        "디스크",
        "파티션",
        "디렉터리",
        "디렉토리",
        "폴더",
        "사용자",
        "계정",
        "백업",
        "모든",
        "전체",
        "변경",
        "서버",
        "클러스터",
        "운영",
        "브랜치",
        "키",
        "인증서",
        "이력",
        "기록",
        "설정",
    ],
    within: &[],
    passive: &[],
    coming: &[],
    last: &[
        "되돌릴 수 없",
        "복구할 수 없",
        "복원할 수 없",
        "취소할 수 없",
        "영구",
        "사라집니다",
        "손실",
        "저장하지 않",
        "공장 초기",
        "잃게",
    ],
    named: &["버튼", "아이콘", "함수", "메서드", "메뉴", "플래그"],
    unspaced: Some(takes),
};

const FORBID: [&str; 7] = ["하지 않", "되지 않", "지 않", "하지 마", "지 마", "금지", " 취소"];

fn takes(_before: &str, after: &str) -> bool {
    FORBID.iter().any(|no| after.starts_with(no))
}
