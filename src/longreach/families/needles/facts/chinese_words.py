"""Chinese names, things and measures, by register."""

from __future__ import annotations

from dataclasses import replace

from .lexicon import Lexicon, Pool, Range, Unit, words

__all__ = ["LEXICONS"]


def _unit(word: str) -> Unit:
    return Unit(word, word)


_COUNTS = {
    "age": _unit("岁"),
    "span": _unit("年"),
    "month": _unit("个月"),
    "hour": _unit("个小时"),
    "day": _unit("天"),
    "item": _unit("件"),
    "child": _unit("个"),
    "calendar": _unit("年"),
}
_SPANS = {
    "years_kept": Range(3, 14, "span"),
    "months": Range(3, 6, "month"),
    "hours": Range(2, 4, "hour"),
    "days": Range(8, 13, "day"),
    "stock": Range(7, 29, "item"),
    "children": Range(3, 8, "child"),
}
_SURNAMES = Pool(
    tuple(
        "沈陆顾姚汤尹黎乔贺赖龚庞樊殷施陶洪翟颜倪严温季俞章鲁葛伍韦申尤毕聂焦邢岳齐莫庄辛祝涂祁舒耿牟詹苗凌费纪靳盛童"
        "甄项裴席屈鲍覃霍翁隋景柏柯阮桂闵"
    ),
    ("",),
    "left",
)

_NOVEL = Lexicon(
    style="words",
    women=words(
        "婉卿 素秋 静姝 佩兰 玉蓉 碧筠 锦瑟 慧贞 若蘅 秀筠 月娥 雪岫 绮云 兰馨 淑仪 凤箫 巧稚 芷汀 琼芝 "
        "念慈 蕙芳 采蘩 宛如 瑶琴 德馨 婵素 映荷 韵竹 清芬 翠微 望舒 吟秋 润芝 筱梅 鸾音 怀瑾 惜春 曼青 "
        "莲漪 疏影"
    ),
    men=words(
        "伯崖 仲衡 叔钧 季桐 敬亭 怀远 砚农 鹤年 松龄 子岱 云樵 廷栋 守拙 汝舟 景澄 孟谦 维垣 雨樵 镜湖 "
        "秉彝 石泉 荫棠 鸿渐 少棠 继周 慎之 启元 介眉 翰屏 蔚堂 树勋 德邻 楚材 济川 宗岱 绍箕 梦弼 铁林 "
        "友梅 懋功"
    ),
    surnames=_SURNAMES,
    places=Pool(
        words(
            "青禾 白鹭 望云 落雁 双槐 半月 听泉 金穗 石鼓 竹隐 芦荻 云栖 稻香 马鞍 麦浪 杏帘 鹤鸣 荷风 乌桕 "
            "盘龙 卧牛 银杏 碧螺 松涛 柳絮 枣林 桃源 梨花 雪浪 菱角"
        ),
        words("镇 村 渡 集 铺 坪 湾 驿 寨 堡"),
        "left",
    ),
    things=Pool(
        words("描金 镀金 嵌银 雕花 珐琅 西洋 黑漆 朱漆 黄铜 白铜 错银 彩绘"),
        words("望远镜 罗盘 鼻烟壶 首饰匣 座钟 烛台 手炉 镜台 茶叶罐 印盒 算盘 香炉 笔筒 水烟袋 八音盒 果盘 帽架 灯台"),
        "right",
    ),
    rooms=Pool(
        tuple("东西南北前后小大内外"),
        words("花厅 书房 厢房 暖阁 账房 佛堂 偏院 茶室 琴室 画室 客房 饭厅"),
        "right",
    ),
    trades=Pool(
        words(
            "灯笼 马具 钟表 手套 蜡烛 绳索 木桶 铜锁 纽扣 竹篮 毛刷 车轮 木梳 铜铃 笛箫 铁壶 丝带 筛子 油伞 "
            "折扇 笔墨 年画"
        ),
        words("匠人 商人 贩子"),
        "left",
    ),
    vehicles=Pool(
        words("青布 租来的 借来的 破旧的 新买的 带篷的 新漆的 红漆"),
        words("骡车 马车 驴车 牛车 板车 独轮车 黄包车"),
        "right",
    ),
    goods=Pool(
        words("铜 锡 瓷 竹 漆 木 石 铁"),
        words("茶壶 灯座 托盘 食盒 花瓶 水盂 酒壶 火盆 饭桶 摆件"),
        "right",
    ),
    units=_COUNTS | {"money": _unit("块银元"), "rank": _unit("寸"), "way": _unit("里")},
    ranges=_SPANS
    | {
        "age": Range(24, 58, "age"),
        "age_gap": Range(2, 12, "age"),
        "rank_gap": Range(2, 6, "rank"),
        "rent": Range(20, 90, "money", 5),
        "endowment": Range(600, 1900, "money", 50),
        "purchase": Range(60, 390, "money", 10),
        "price_each": Range(2, 9, "money"),
        "distance": Range(3, 15, "way"),
        "year": Range(1906, 1922, "calendar"),
    },
)

_REPORT = Lexicon(
    style="figures",
    women=words(
        "语桐 思洁 雅琳 晓岚 筠瑶 佳卉 欣妍 若彤 静雯 慕晴 书瑾 以宁 芷涵 可昕 沐颖 霁月 诗涵 映雪 安琪 "
        "冉冉 知夏 清越 念初 楚乔 一诺 舒窈 听澜 采薇 令仪 如意 璟雯 悦心 子衿 星遥 乐怡 忆南 凝香 文茵 "
        "雨霏 绮文"
    ),
    men=words(
        "若谷 子墨 俊驰 明哲 泽宇 宇航 嘉树 景行 思远 博文 承泽 立诚 志恒 远舟 修齐 昱辰 君浩 天佑 文韬 "
        "牧之 煜城 皓轩 弘毅 鹏举 世安 逸飞 哲瀚 启航 绍辉 望川 乐山 建勋 凯风 展鹏 伟祺 炎彬 瑞霖 乘风 "
        "云深 知远"
    ),
    surnames=_SURNAMES,
    places=Pool(
        words(
            "青澜 临岳 望溪 安屏 云岭 和浦 新梧 东沅 平崖 启河 明川 瑞泽 长汐 清屿 远桥 宁栎 丰淮 荣湖 金崮 "
            "栖霖 梧岗 澄江 碧山 景湾 秋浦 白芷 赤松 星洲 枫原 北苇"
        ),
        words("镇 县 新区 园区 港 开发区 乡 工业园"),
        "left",
    ),
    things=Pool(
        words("便携式 二手 翻新 备用 小型 大型 国产 进口 新购 白色 灰色 黑色 银色 红色 蓝色 德国产"),
        words(
            "投影仪 打印机 扫描仪 发电机 复印机 白板 除湿机 音箱 冷柜 保险柜 碎纸机 工作站 摄像机 显微镜 "
            "显示器 电话机 塑封机 加湿器 麦克风 取暖器"
        ),
        "right",
    ),
    rooms=Pool(
        words("东侧 西侧 南侧 北侧 一楼 二楼 三楼 四楼"),
        words("档案室 实验室 食堂 机房 工作间 仓库 演播室 收发室 阅览室 会议室 大厅 文印室"),
        "right",
    ),
    trades=Pool(
        words(
            "薪酬 采购 物流 培训 质量 安全 合规 后勤 招聘 差旅 预算 合同 市场 数据 许可 资产 车队 餐饮 项目 "
            "保密 税务 仓储"
        ),
        words("主管 专员 顾问 经理"),
        "left",
    ),
    vehicles=Pool(
        words("白色 灰色 租来的 借来的 电动 二手 红色 蓝色"),
        words("面包车 中巴车 皮卡 货车 轿车 吉普车 越野车 商务车"),
        "right",
    ),
    goods=Pool(
        words("钢制 塑料 橡木 折叠 可叠放 金属 备用 铝制"),
        words("椅子 办公桌 储物柜 置物架 回收箱 托盘 手推车 文件柜 长凳 隔板 周转箱 梯子"),
        "right",
    ),
    units=_COUNTS | {"age": _unit("年"), "money": _unit("元"), "rank": _unit("分"), "way": _unit("公里")},
    ranges=_SPANS
    | {
        "age": Range(5, 24, "age"),
        "age_gap": Range(2, 9, "age"),
        "rank_gap": Range(3, 14, "rank"),
        "rent": Range(2000, 4800, "money", 100),
        "endowment": Range(6000, 9800, "money", 200),
        "purchase": Range(600, 2900, "money", 50),
        "price_each": Range(12, 95, "money"),
        "distance": Range(4, 28, "way"),
        "year": Range(1996, 2008, "calendar"),
    },
)

_LEGAL = replace(
    _REPORT,
    style="legal",
    units={**_REPORT.units, "age": _unit("岁"), "rank": _unit("元")},
    ranges={**_REPORT.ranges, "age": Range(24, 67, "age"), "rank_gap": Range(1000, 9000, "rank", 500)},
)

_TECHNICAL = replace(
    _REPORT,
    things=Pool(
        words("便携式 备用 翻新 二手 小型 重型 国产 进口 新购 红色 蓝色 黄色 绿色 灰色 德国产 瑞典产"),
        words(
            "扳手 压力表 万用表 空压机 角磨机 绞盘 电钻 内窥镜 转速表 电烙铁 电焊机 葫芦吊 流量计 手电筒 "
            "真空泵 除湿机 千斤顶 测温仪 切割机 发电机"
        ),
        "right",
    ),
    rooms=Pool(
        words("东侧 西侧 南侧 北侧 一层 二层 一号 二号 三号"),
        words("泵房 检修间 锅炉房 控制室 试验间 喷漆房 备件库 电池间 配电室 机舱 门卫室 化验室"),
        "right",
    ),
    trades=Pool(
        words(
            "阀门 电缆 汽轮机 锅炉 起重 输送带 水泵 焊接 索具 仪表 防腐 轴承 齿轮箱 液压 绕组 炉窑 压缩机 "
            "开关柜 管道 雷达 声呐 排水"
        ),
        words("技术员 检修工 检验员 工程师"),
        "left",
    ),
    goods=Pool(
        words("备用 陶瓷 钢制 黄铜 不锈钢 进口 国产 镀锌"),
        words("阀芯 轴承 垫片 滤芯 联轴器 支架 转子 喷嘴 传感器 继电器 软管 叶轮"),
        "right",
    ),
    units={**_REPORT.units, "rank": _unit("个小时")},
)

_MODERN = replace(
    _REPORT,
    style="words",
    rooms=Pool(
        words("东边 西边 南边 北边 楼上 楼下"),
        words("书房 客厅 厨房 卧室 车库 阳台 储藏室 画室 琴房 茶室 客房 饭厅"),
        "right",
    ),
    units={**_REPORT.units, "age": _unit("岁"), "rank": _unit("厘米")},
    ranges={**_NOVEL.ranges, "year": Range(1996, 2008, "calendar")},
)

LEXICONS = {"novel": _NOVEL, "modern": _MODERN, "report": _REPORT, "legal": _LEGAL, "technical": _TECHNICAL}
