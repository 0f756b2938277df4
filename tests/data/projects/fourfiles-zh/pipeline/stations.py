"""站点匹配：按线路找最近的站，超过 300 米算没有。"""

from math import cos, hypot, radians

METRES_A_DEGREE = 111_320
MOST_METRES = 300


def metres(lon, lat, other_lon, other_lat):
    """两点间的近似距离，米；城市范围内误差不到千分之一。"""
    return hypot((lon - other_lon) * cos(radians(lat)), lat - other_lat) * METRES_A_DEGREE


def nearest(swipe, stations):
    """返回最近的站名；没有定位或太远时返回空串。"""
    if not swipe.lon or not stations:
        return ""
    name, lon, lat = min(stations, key=lambda s: metres(swipe.lon, swipe.lat, s[1], s[2]))
    return name if metres(swipe.lon, swipe.lat, lon, lat) <= MOST_METRES else ""
