namespace Poolhouse.Tool.Servers.Tds.Sql;

/// <summary>All that a user can leave behind in a session, and what the protocol's reset does to it.</summary>
internal sealed class SessionState(string loginDatabase, string loginUser)
{
    /// <summary>The settings that show in <c>SESSIONPROPERTY</c> and the like, as a new session has them.</summary>
    private static readonly Dictionary<string, string> _initialSettings = new(StringComparer.OrdinalIgnoreCase)
    {
        ["ANSI_NULLS"] = "ON",
        ["ANSI_PADDING"] = "ON",
        ["ANSI_WARNINGS"] = "ON",
        ["ARITHABORT"] = "OFF",
        ["CONCAT_NULL_YIELDS_NULL"] = "ON",
        ["QUOTED_IDENTIFIER"] = "ON",
        ["NUMERIC_ROUNDABORT"] = "OFF",
        ["DATEFIRST"] = "7",
        ["DATEFORMAT"] = "mdy",
        ["DEADLOCK_PRIORITY"] = "0",
        ["IMPLICIT_TRANSACTIONS"] = "OFF",
        ["LANGUAGE"] = "us_english",
        ["LOCK_TIMEOUT"] = "-1",
        ["NOCOUNT"] = "OFF",
        ["ROWCOUNT"] = "0",
        ["TEXTSIZE"] = "2147483647",
        ["XACT_ABORT"] = "OFF",
        ["NOEXEC"] = "OFF",
        ["PARSEONLY"] = "OFF",
        ["FMTONLY"] = "OFF",
        ["NO_BROWSETABLE"] = "OFF",
        ["CURSOR_CLOSE_ON_COMMIT"] = "OFF",
        ["SHOWPLAN_ALL"] = "OFF",
        ["SHOWPLAN_TEXT"] = "OFF",
        ["SHOWPLAN_XML"] = "OFF",
        ["STATISTICS"] = "OFF",
    };

    private static readonly List<string> _onlyCompile =
        ["NOEXEC", "PARSEONLY", "SHOWPLAN_ALL", "SHOWPLAN_TEXT", "SHOWPLAN_XML"];

    /// <summary>The isolation level of a new session.</summary>
    public const int ReadCommitted = 2;

    public string Database { get; set; } = loginDatabase;

    public string LoginDatabase { get; } = loginDatabase;

    public string LoginUser { get; } = loginUser;

    /// <summary>Whom the session executes as, the innermost last.</summary>
    public Stack<string> Impersonated { get; } = new();

    public Dictionary<string, string> Settings { get; private set; } = Initial();

    /// <summary>1 to 5, as in <c>sys.dm_exec_sessions</c>; 2 is READ COMMITTED.</summary>
    public int IsolationLevel { get; set; } = ReadCommitted;

    public byte[]? ContextInfo { get; set; }

    public Dictionary<string, object?> Context { get; } = new(StringComparer.Ordinal);

    /// <summary>The cursors that were declared, and whether they are open.</summary>
    public Dictionary<string, bool> Cursors { get; } = new(StringComparer.OrdinalIgnoreCase);

    public Dictionary<int, PreparedStatement> Prepared { get; } = [];

    public int LastPrepared { get; set; }

    public int TransactionCount { get; set; }

    public long TransactionId { get; set; }

    public long LastRowCount { get; set; }

    /// <summary>The number of the error of the last statement, or 0.</summary>
    public int LastError { get; set; }

    /// <summary>The names of the settings that are not as in a new session.</summary>
    public IEnumerable<string> ChangedSettings =>
        from setting in Settings
        where !setting.Value.Equals(_initialSettings[setting.Key], StringComparison.Ordinal)
        select setting.Key;

    public bool IsOn(string setting) =>
        Settings.TryGetValue(setting, out var value) && value.Equals("ON", StringComparison.Ordinal);

    /// <summary>Whether statements are compiled and not executed, and report success.</summary>
    public bool OnlyCompiles => _onlyCompile.Exists(IsOn);

    /// <summary>Whether statements are not executed with a setting. It can be changed nevertheless.</summary>
    public static bool OnlyCompile(string setting) =>
        setting.Equals("FMTONLY", StringComparison.OrdinalIgnoreCase)
        || _onlyCompile.Contains(setting, StringComparer.OrdinalIgnoreCase);

    /// <summary>
    /// What the protocol's reset does, apart from the transaction, temporary tables and locks. The isolation level stays.
    /// </summary>
    public void Reset()
    {
        Database = LoginDatabase;
        Settings = Initial();
        ContextInfo = null;
        Context.Clear();
        Cursors.Clear();
        Prepared.Clear();
        LastRowCount = 0;
    }

    private static Dictionary<string, string> Initial() => new(_initialSettings, StringComparer.OrdinalIgnoreCase);
}
