"""A phone under changing addresses: its identity resolving key, and what it sends."""

# A key and addresses that it resolves; the first is that of the Core Specification (Vol 3, Part H, D.7).
KEY = "ec0234a357c8ad05341010a60a397d9b"
ADDRESSES = ("70:81:94:0D:FB:AA", "40:13:57:4D:06:89", "40:26:AE:54:84:5D", "40:3A:05:CF:02:41", "40:4D:5C:B4:58:FC")
# The advertisement of a locked iPhone, which has nothing of a beacon.
LOCKED = "0BFF4C001608010203040506"
