"""Chinese names of people, found by surname and by what they do and say."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence

from ..wordsets import word_set

__all__ = ["ACTS_LIKE_PERSON", "find_persons"]

_SURNAMES = (
    "赵钱孙李周吴郑王冯陈褚卫蒋沈韩杨朱秦尤许何吕施张孔曹严魏陶姜戚谢邹喻柏窦苏潘葛奚彭郎鲁韦马苗俞任袁柳鲍史唐费廉岑"
    "薛雷贺倪汤滕殷罗毕郝邬傅卞齐康伍余顾孟黄穆萧尹姚邵湛汪祁禹狄臧戴谈宋茅庞熊纪舒屈董梁杜阮闵贾娄颜郭刁钟徐邱骆蔡田"
    "樊胡凌霍虞柯卢莫房裘缪宗丁宣邓郁杭洪诸崔吉钮龚程嵇邢裴陆翁荀惠甄曲芮靳汲巫隗侯戎刘詹韶黎薄蒲鄂咸赖卓蔺屠蒙乔苍翟"
    "谭贡逄姬申冉宰雍濮扈温庄晏柴瞿阎习戈廖庾衡耿寇禄阙殳沃蔚巩聂荆桓林江金梅"
)
"""Common surnames that are not also common words."""
_NEVER_IN = frozenset(
    "的了着过是在不有这那我你他她它们和与就也都又还没把被给到从向得地之其为以而且但并或及个一么什吗呢吧啊上下里外中前后时说道人事年月日天家忙因听便者问答只却将见"
)
_ORDINARY = word_set(
    "许多 许久 周围 周末 周到 何况 何尝 何必 何等 何以 何处 何时 黄昏 黄色 黄金 黄酒 颜色 颜面 房子 "
    "房间 房屋 莫非 莫名 费用 马上 马路 马车 江南 江湖 金钱 金属 金色 温度 温暖 温和 严重 严格 严厉 "
    "严肃 史料 史书 纪念 纪律 程度 程序 康健 雷雨 宗教 宗旨 洪水 单位 单是 安全 安静 常常 康复 童年 "
    "戚友 成功 应该 应当 胡乱 胡须 胡同 柳树 梅花 林子 田地 田里 石头 钟头 钟点 毕竟 毕业 向来 向前 "
    "顾客 贺喜 戴着 谢谢 邻居 蓝色 宋朝 唐朝 秦朝 魏晋 隋唐 姜汤 苗头 祝福 诸位 诸君 乔装 党员 凌晨 "
    "汤匙 贡献 苏醒 申请 申明 温柔 白天 白云 余下 余地 陆续 陆地 任务 任何 任凭 "
)
"""Ordinary words that begin with a surname."""
ACTS_LIKE_PERSON = re.compile(
    r"(?:也|又|便|就|却|还|只|忽然|慢慢|连忙|于是|终于|已经|仍旧|正|一面|没有|不|很|大|微微|低声)*"
    r"(?:[把向对给从替跟在说道问答喊叫笑哭骂想看听望走跑坐站跪躺睡拿取接放抓伸摸写读送借买卖打病死吃喝进出回来去到点摇抬低张觉知住死])"
)
"""What a person does."""
_NO_PLACE = re.compile(r"[^镇府庄屯村城县省山河寺庙街路家店堂园馆楼桥门会社党军国州]$")
"""No last character of a place."""
_FEWEST = 3
"""Minimum occurrences of a person's name."""


def find_persons(texts: Sequence[str]) -> frozenset[str]:
    """Surname and given name, found often enough in different surroundings. Titles and bynames may be of anyone."""
    count: Counter[str] = Counter()
    after: dict[str, set[str]] = defaultdict(set)
    acts: Counter[str] = Counter()
    for text in texts:
        for match in re.finditer(f"[{_SURNAMES}]", text):
            for length in (3, 2):
                name = text[match.start() : match.start() + length]
                if len(name) < length or any(
                    character in _NEVER_IN or not "\u4e00" <= character <= "\u9fff" for character in name[1:]
                ):
                    continue
                count[name] += 1
                following = text[match.start() + length : match.start() + length + 1]
                after[name].add(following)
                if match.start() == 0 or text[match.start() - 1] in "，。；：”":
                    acts[name] += ACTS_LIKE_PERSON.match(text[match.start() + length :]) is not None
    found = set()
    for name, times in count.items():
        if times < _FEWEST or acts[name] < 2 or 8 * acts[name] < times or len(after[name]) < 3:
            continue
        if name in _ORDINARY or name[:2] in _ORDINARY or not _NO_PLACE.search(name):
            continue
        if len(name) == 2 and any(
            count[longer] > 0.5 * times for longer in count if len(longer) == 3 and longer.startswith(name)
        ):
            continue
        found.add(name)
    return frozenset(found)
