-- For man pages: a table of two columns becomes a list of terms, and a link to another page its text.

function Table(table)
    local simple = pandoc.utils.to_simple_table(table)
    if #simple.headers ~= 2 then return nil end
    local items = {}
    for _, row in ipairs(simple.rows) do
        local term = row[1][1] and row[1][1].content or {}
        items[#items + 1] = { term, { row[2] } }
    end
    return pandoc.DefinitionList(items)
end

function Link(link)
    if link.target:match("^https?://") then return nil end
    return link.content
end

function Image(image)
    return image.caption
end
