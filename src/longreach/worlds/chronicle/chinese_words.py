"""Chinese names of people, places, things and measures."""

from __future__ import annotations

__all__ = [
    "ADDRESS",
    "FAMILIES",
    "FEELINGS",
    "GOODS",
    "ILLNESSES",
    "MANNERS",
    "MEN",
    "OFFICES",
    "RIVERS",
    "SPOTS",
    "THINGS",
    "TOPICS",
    "TOWNS",
    "TOWN_NAMES",
    "TRADES",
    "WOMEN",
]


def _words(text: str) -> tuple[str, ...]:
    """A word list, written as one text."""
    return tuple(text.split())


MEN = _words(
    "守拙 鹤年 松龄 廷栋 汝舟 景澄 孟谦 维垣 秉彝 荫棠 鸿渐 少棠 继周 慎之 介眉 翰屏 蔚堂 树勋 德邻 "
    "济川 宗岱 绍箕 梦弼 铁林 友梅 懋功 伯崖 仲衡 叔钧 季桐 敬亭 砚农 子岱 云樵 镜湖 石泉 启元 楚材 "
    "雨亭 星斋 兆麟 庆余 长庚 永年 世昌 福田 茂才 有财 大椿 金生 水生 土根 阿贵 来顺 得胜 保庆 传贤 "
    "承业 光裕 家骥 开泰 立言 乃昌 培基 其昌 仁甫 瑞卿 三畏 书田 天锡 文焕 希尧 显达 孝先 耀宗 益斋 "
    "玉堂 泽民 哲生 志清"
)
WOMEN = _words(
    "婉卿 素秋 静姝 佩兰 玉蓉 碧筠 锦瑟 慧贞 若蘅 秀筠 月娥 绮云 兰馨 淑仪 凤箫 巧稚 芷汀 琼芝 念慈 "
    "蕙芳 采蘩 宛芬 瑶琴 婵素 映荷 韵竹 清芬 翠微 吟秋 润芝 筱梅 鸾音 惜春 曼青 莲漪 疏影 桂英 金凤 "
    "银娣 春桃 夏莲 秋菊 冬梅 腊梅 杏儿 招弟 来娣 阿巧 阿香 小红 翠花 玉珍 玉兰 月仙 云英 彩霞 素贞 "
    "淑贞 秀英 秀兰 桂芝 桂香 菊仙 菊如 梅卿 杏芳 荷香 莲芬 凤仙 凤英 爱珠 宝琴 宝珠 彩凤 翠云 翠娥 "
    "端秀 福珍 瑞芝 喜莲"
)
FAMILIES = _words(
    "沈 陆 顾 姚 汤 尹 黎 乔 贺 赖 龚 庞 樊 殷 施 陶 洪 翟 颜 倪 严 温 季 俞 章 鲁 葛 伍 韦 "
    "申 尤 毕 聂 焦 邢 岳 齐 莫 庄 辛"
)
TOWN_NAMES = _words("青禾镇 双槐镇 石鼓镇 芦荻镇 乌桕镇 落雁镇 银杏镇 枣林镇 雪浪镇 菱湖镇 竹溪镇 白鹭镇")
RIVERS = _words("芷水 菱河 乌溪 练江 柳川 清漪河 石溪 丰水 桐江 蓼河 碧溪 夹河")
TOWNS = _words("清河县 石门 临川府 平湖 枫桥 安溪 永兴 梅城 桃源县 怀安 临沚府 芜城")

SPOTS: dict[str, tuple[str, str, str, str]] = {
    "mill": ("水碾坊", "老磨坊", "下河磨坊", "柳堤磨坊"),
    "forge": ("铁匠铺", "桥头铁铺", "西街铁匠铺", "王记铁炉"),
    "inn": ("悦来客栈", "福兴客栈", "三鹭楼", "迎春楼"),
    "apothecary": ("济生堂", "回春堂", "仁寿堂", "保和堂"),
    "school": ("义塾", "文昌阁", "蒙馆", "育英塾"),
    "quay": ("大码头", "盐码头", "东码头", "老码头"),
    "shop": ("万顺号", "同和号", "恒泰号", "南货店"),
    "loomhouse": ("织布坊", "顺记机坊", "东街机房", "后巷织坊"),
    "tannery": ("皮坊", "硝皮坊", "城根皮坊", "河尾皮坊"),
    "farm": ("上庄", "石桥庄", "枣树庄", "北洼庄"),
    "yard": ("木场", "锯木场", "河沿木行", "老木作"),
    "bakery": ("糕饼铺", "桂香斋", "稻香铺", "五芳铺"),
    "brewhouse": ("酒坊", "老酒坊", "涌泉酒坊", "烧锅坊"),
    "stable": ("车马店", "骡马店", "大车店", "北关脚行"),
    "church": ("大祠堂", "南祠堂", "三姓祠堂", "老祠堂"),
    "market": ("米市", "十字街", "菜市", "集场"),
    "bridge": ("太平桥", "老石桥", "廊桥", "观音桥"),
    "hall": ("公所", "镇公所", "商会公所", "议事公所"),
}
"""Four names each, of which a world uses one."""

TRADES = {
    "miller": "开磨坊的",
    "smith": "打铁的",
    "innkeeper": "开客栈的",
    "doctor": "行医的",
    "teacher": "教书的",
    "boatman": "撑船的",
    "grocer": "开杂货铺的",
    "weaver": "织布的",
    "tanner": "硝皮子的",
    "farmer": "种田的",
    "carpenter": "做木匠的",
    "baker": "做糕饼的",
    "brewer": "烧酒的",
    "carrier": "跑脚运货的",
}
ADDRESS = {
    "miller": "掌柜",
    "smith": "师傅",
    "innkeeper": "掌柜",
    "doctor": "先生",
    "teacher": "先生",
    "boatman": "老大",
    "grocer": "掌柜",
    "weaver": "师傅",
    "tanner": "师傅",
    "farmer": "大哥",
    "carpenter": "师傅",
    "baker": "掌柜",
    "brewer": "掌柜",
    "carrier": "把头",
}
"""Form of address for a man of the trade, after his family name."""

GOODS = {
    "flour": ("袋", "面粉"),
    "nails": ("桶", "铁钉"),
    "cider": ("坛", "黄酒"),
    "herbs": ("捆", "药材"),
    "paper": ("刀", "竹纸"),
    "fish": ("篓", "咸鱼"),
    "tea": ("箱", "茶叶"),
    "cloth": ("匹", "土布"),
    "hides": ("张", "皮子"),
    "barley": ("石", "稻谷"),
    "planks": ("块", "木板"),
    "oil": ("坛", "香油"),
    "hops": ("袋", "酒曲"),
    "salt": ("包", "盐"),
}
THINGS = {
    "watch": ("一块", "银壳怀表"),
    "fiddle": ("一把", "胡琴"),
    "inkstone": ("一方", "端砚"),
    "flute": ("一管", "紫竹笛"),
    "kettle": ("一把", "紫铜壶"),
    "comb": ("一把", "玳瑁梳"),
    "ring": ("一枚", "玉扳指"),
    "ledger": ("一本", "蓝皮账簿"),
    "bracelet": ("一只", "银镯子"),
    "clock": ("一架", "座钟"),
    "coat": ("一件", "羊皮袄"),
    "box": ("一只", "漆匣"),
    "lamp": ("一盏", "铜灯"),
    "scales": ("一杆", "戥子"),
    "spyglass": ("一支", "千里镜"),
    "quilt": ("一床", "百衲被"),
}
ILLNESSES = {"fever": "伤寒", "ague": "疟疾", "lungs": "肺热", "leg": "痢疾", "throat": "喉症"}
OFFICES = {"warden": "祠堂会首", "bailiff": "地保", "treasurer": "义仓管事", "ferrymaster": "渡口管事"}
TOPICS = {"money": "要借钱", "news": "说有一桩好差事", "pardon": "求个宽恕", "summons": "请人过去一趟"}
FEELINGS = {
    "gratitude": "对{B}很是感激",
    "shame": "觉得愧对{B}",
    "resentment": "对{B}怀恨",
    "pity": "可怜{B}",
    "remorse": "对{B}十分懊悔",
    "envy": "眼红{B}",
    "fear": "害怕{B}",
    "suspicion": "对{B}起了疑心",
    "respect": "敬重{B}",
    "relief": "对{B}放下了心",
    "hope": "对{B}抱着指望",
}
MANNERS = {
    "whole": "一次付清",
    "parts": "分三回付清",
    "race": "跑马",
    "boats": "赛船",
    "snow": "头场雪的日子",
    "pig": "一口猪的斤两",
    "quiet": "冷冷清清地",
    "feast": "吹吹打打地",
    "foot": "步行",
    "cart": "坐骡车",
    "horse": "骑马",
    "boat": "搭船",
    "coach": "坐轿子",
    "public": "当着众人",
    "private": "关起门来",
    "stick": "拿棍子",
    "fist": "用拳头",
    "strap": "拿皮带",
    "bottle": "拿酒瓶",
}
