# Makes beacons.json of the app: its input is the user's file. The other files are arrays with one value:
#
#   $options   the options of the app
#   $app       /addons/self/info: the address and the port at which the Supervisor's proxy expects the page
#   $broker    /services/mqtt; null without a broker
#   $password  the path of the file with the password of the broker

# A value as one word of a message.
def shown: tojson | gsub("[^ -~]"; "?") | .[:60];
def require(valid; sentence): if valid then . else error(sentence) end;
def option($name; valid; $expected):
  $options[0][$name] as $value
  | if $value == null or $value == "" then null
    elif ($value | type) == "string" and ($value | valid) then $value
    else error("the option \($name) is \($value | shown); expected \($expected)") end;

# The users with all rights, without the empty fields of the form.
def users:
  ($options[0].users // []) as $value
  | if ($value | type) == "array" and ($value | all(.[]; . == null or type == "string")) then
      [$value[] | select(. != null and . != "")]
    else error("the option users is \($value | shown); expected a list of names") end;

require(type == "object"; "beacons.json: expected an object")
| require(.web | type == "object" or . == null; "beacons.json: web: expected an object")
| require(.node | type == "object" or . == null; "beacons.json: node: expected an object")
| require($options | length == 1 and (.[0] | type == "object"); "options.json: expected an object")
| option("name"; test("\\A[A-Za-z0-9_][A-Za-z0-9_-]{0,63}\\z"); "up to 64 letters of ASCII, digits, - and _") as $name
| option("room"; utf8bytelength <= 64 and (test("[\\p{C}]") | not) and test("\\S");
    "up to 64 bytes without control characters") as $room
| option("adapter"; test("\\Ahci[0-9]{1,3}\\z"); "a name such as hci0") as $adapter
| ($app[0].ingress_port | if type == "number" and . >= 1 and . <= 65535 and . == floor then . else null end) as $port
| ($app[0].ip_address | if type == "string" and test("\\A[0-9.]{7,15}\\z") then . else null end) as $address
| require($port != null and $address != null; "the Supervisor names no address and port for the page")
| .web = ((.web // {}) + { listen: "\($address):\($port)", ingress: "172.30.32.2" })
| users as $users
| if $users != [] then .web.users = $users else . end
| if $name then .node.name = $name else . end
| if $room then .node.room = $room else . end
| if $adapter then .adapter = $adapter else . end
| if has("mqtt") or $broker[0] == null then .
  else
    $broker[0] as $broker |
    ($broker.port | try tonumber catch null) as $port |
    require(($broker.host | type) == "string" and $port != null; "the Supervisor names no host and port of the broker") |
    .mqtt = { host: $broker.host, port: $port, tls: ($broker.ssl == true) }
    | if ($broker.username // "") == "" then .
      else .mqtt += { username: $broker.username, passwordFile: $password } end
  end
