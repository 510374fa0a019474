# Takes the data out of an answer of the Supervisor; its input is the text, and $code the status of HTTP. Ends with 3 if Home Assistant
# does not have the service, and with 1 and the reason if the answer has no data.
(try fromjson catch null) as $answer
| if ($answer | type) != "object" then "status \($code) without an object of JSON" | halt_error(1)
  elif $answer.result == "ok" and ($answer.data | type) == "object" then $answer.data
  elif $code == "400" and $answer.message == "Service not enabled" then "" | halt_error(3)
  else "status \($code), \($answer.message | tojson | .[:200])" | halt_error(1) end
