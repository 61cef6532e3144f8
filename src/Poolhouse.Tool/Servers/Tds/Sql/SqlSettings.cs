using System.Globalization;

namespace Poolhouse.Tool.Servers.Tds.Sql;

/// <summary>Executes the statements that change a session and return nothing.</summary>
internal sealed class SqlSettings(SqlSession session, TdsResponse response)
{
    private static readonly string[] _levels =
        ["", "READ UNCOMMITTED", "READ COMMITTED", "REPEATABLE READ", "SERIALIZABLE", "SNAPSHOT"];

    private SessionState State => session.State;

    /// <summary>
    /// Whether a statement is executed: with NOEXEC and the like only those that change these settings, with FMTONLY queries too.
    /// </summary>
    public bool IsExecuted(List<SqlToken> statement) =>
        !(State.OnlyCompiles || State.IsOn("FMTONLY"))
        || (statement[0].Is("SET") && statement.Count > 1 && SessionState.OnlyCompile(statement[1].Text))
        || (!State.OnlyCompiles && (statement[0].Is("SELECT") || statement[0].Is("WITH")));

    public void Run(List<SqlToken> statement)
    {
        var second = statement.Count > 1 ? statement[1] : default;
        switch (statement[0].Text.ToUpperInvariant())
        {
            case "SET":
                Set(statement);
                break;
            case "USE":
                Use(second.Text);
                break;
            case "BEGIN":
                session.Begin(statement.Count > 2 ? statement[2].Text : "", response);
                break;
            case "COMMIT":
                session.Commit(response);
                break;
            case "ROLLBACK":
                session.Rollback(statement.Count > 2 ? statement[2].Text : "", response);
                break;
            case "REVERT":
                State.Impersonated.TryPop(out _);
                break;
            case "OPEN" or "CLOSE":
                RequireCursor(second.Text);
                State.Cursors[second.Text] = statement[0].Is("OPEN");
                break;
            case "DEALLOCATE":
                RequireCursor(second.Text);
                State.Cursors.Remove(second.Text);
                break;
            case "KILL":
                session.Kill(int.Parse(second.Text, CultureInfo.InvariantCulture));
                break;
            default:
                throw TdsError.Unknown(string.Join(' ', statement.Select(token => token.Text)));
        }
    }

    private void Use(string database)
    {
        if (!session.Databases.Contains(database))
        {
            throw new TdsError(911, $"Database '{database}' does not exist.");
        }

        response.UseDatabase(database, State.Database);
        State.Database = database;
    }

    // SET name[, name] ON | OFF | value
    private void Set(List<SqlToken> statement)
    {
        var value = statement[^1].Text;
        switch (statement[1].Text.ToUpperInvariant())
        {
            case "TRANSACTION":
                session.SetIsolationLevel(Array.IndexOf(
                    _levels, string.Join(' ', statement.Skip(4).Select(token => token.Text.ToUpperInvariant()))));
                break;
            case "CONTEXT_INFO":
                State.ContextInfo = Convert.FromHexString(value[2..].Length % 2 == 0 ? value[2..] : "0" + value[2..]);
                break;
            case "IDENTITY_INSERT":
                break;
            case "STATISTICS":
                State.Settings["STATISTICS"] = value.ToUpperInvariant();
                break;
            case "LANGUAGE":
                response.UseLanguage(value, State.Settings["LANGUAGE"]);
                State.Settings["LANGUAGE"] = value;
                break;
            default:
                foreach (var setting in SqlToken.Split(statement[1..^1]))
                {
                    SetOne(setting[0].Text, statement[^2].Is("-") ? "-" + value : value);
                }

                break;
        }
    }

    private void SetOne(string setting, string value)
    {
        if (!State.Settings.ContainsKey(setting))
        {
            throw TdsError.Unknown("SET " + setting);
        }

        State.Settings[setting] = value.ToUpperInvariant() is "ON" or "OFF" ? value.ToUpperInvariant() : value;
    }

    private void RequireCursor(string name)
    {
        if (!State.Cursors.ContainsKey(name))
        {
            throw new TdsError(16916, $"A cursor with the name '{name}' does not exist.");
        }
    }
}
