namespace Poolhouse.Tool.Servers.Tds.Sql;

/// <summary>A statement of <c>sp_prepare</c> or <c>sp_prepexec</c> with the declarations of its parameters.</summary>
internal sealed record PreparedStatement(string Text, string Parameters);
