namespace Poolhouse.Tool.Servers.Tds.Sql;

internal enum SqlTokenKind
{
    Word,
    Name,
    Text,
    Number,
    Variable,
    Symbol,
}
