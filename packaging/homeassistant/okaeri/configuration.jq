# Makes beacons.json of the app: its input is the user's file. The other files are arrays with one value:
#
#   $options   the options of the app
#   $app       /addons/self/info: the address and the port at which the Supervisor's proxy expects the page
#   $broker    /services/mqtt; null without a broker
#   $password  the path of the file with the password of the broker
#
# $copied has the paths of secrets.jq, one a line, whose files are copied from the folder $own to $secrets.

# Ends with 78 for a mistake of the user, and with 69 for one in an answer of the Supervisor.

# A value as one word of a message.
def shown: tojson | .[:60];
def require(valid; sentence): if valid then . else error(sentence) end;
def option($name; valid; $expected):
  $options[0][$name] as $value
  | if $value == null or $value == "" then null
    elif ($value | type) == "string" and ($value | valid) then $value
    else error("the option \($name) is \($value | shown); expected \($expected)") end;
# A value of an answer.
def answered($path; $object; $key; valid; $expected):
  $object[$key]
  | if valid then .
    else "the Supervisor's answer to \($path) cannot be used: \($key) is \(shown); expected \($expected)" | halt_error(69) end;
def isPort: type == "number" and . >= 1 and . <= 65535 and . == floor;
def isText: type == "string" and (test("\\p{C}") | not);

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
| option("adapter"; test("\\Ahci[0-9]{1,3}\\z"); "a name such as hci0") as $adapter
| answered("addons/self/info"; $app[0]; "ingress_port"; isPort; "a port") as $port
| answered("addons/self/info"; $app[0]; "ip_address"; type == "string" and test("\\A[0-9.]{7,15}\\z"); "an address") as $address
| .web = ((.web // {}) + { listen: "\($address):\($port)", ingress: "172.30.32.2" })
| users as $users
| if $users != [] then .web.users = $users else . end
| if $name then .node.name = $name else . end
| if $adapter then .adapter = $adapter else . end
| ($copied | split("\n")) as $copied
| (.. | objects | (.passphraseFile, .passwordFile, .tokenFile, .phone, .ca, .certificate, .key) | strings | select(IN($copied[])))
    |= $secrets + .[$own | length:]
# Without a host, the broker of Home Assistant has the keys that the file does not have.
| if has("mqtt") and ((.mqtt | type) != "object" or .mqtt.host != null) then .
  elif $broker[0] == null then del(.mqtt)
  else
    def of_broker($key; valid; $expected): answered("services/mqtt"; $broker[0]; $key; valid; $expected);
    of_broker("username"; . == null or isText; "text") as $username
    | of_broker("password"; . == null or type == "string"; "text") as $secret
    | ((.mqtt // {}) | del(.host)) as $mqtt
    | .mqtt = {
        host: of_broker("host"; type == "string" and test("\\A[A-Za-z0-9._:-]{1,255}\\z"); "a name or an address"),
        port: (of_broker("port"; (tonumber? // .) | isPort; "a port") | tonumber),
        tls: (of_broker("ssl"; . == null or type == "boolean"; "true or false") == true) }
    | if ($username // "") == "" or ($mqtt | has("username") or has("passwordFile")) then .
      else .mqtt.username = $username | if ($secret // "") == "" then . else .mqtt.passwordFile = $password end end
    | .mqtt += $mqtt
  end
