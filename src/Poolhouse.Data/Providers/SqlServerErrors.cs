using System.Data.Common;
using System.Diagnostics.CodeAnalysis;
using System.Globalization;

namespace Poolhouse.Data.Providers;

/// <summary>What the numbers of SQL Server's and SqlClient's errors mean.</summary>
// Sources, all of Microsoft: "Troubleshooting connection issues and other errors" (Azure SQL) for the numbers above 40000 and for
// 615, 926, 4060 and 4221; SqlConfigurableRetryFactory in SqlClient for 40143, 40540, 42108 and 42109; "Database engine events
// and errors" for the rest.
internal static class SqlServerErrors
{
    /// <summary>A write failed because the database is read-only.</summary>
    public const int ReadOnlyDatabase = 3906;

    private const byte FatalClass = 20;

    // The server cannot let this session in at the moment: the next attempt may succeed.
    private static readonly HashSet<int> _temporary =
    [
        615, 921, 922, 926, 927, 942, 945, 976, 978, 979, 983, 4060, 4221, 6005, 17142, 17187, 17197, 18401, 40143, 40197, 40501,
        40540, 40613, 42108, 42109, 49918, 49919, 49920,
    ];

    // It has no more sessions, workers or memory for them.
    private static readonly HashSet<int> _noRoom = [10928, 10929, 10936, 17809];

    // The server cannot be reached or has closed the connection: numbers of SqlClient (-1 to 40), of Windows and of sockets.
    private static readonly HashSet<int> _lost =
    [
        -1, 0, 2, 11, 20, 26, 35, 40, 53, 64, 104, 110, 111, 113, 121, 233, 258, 596, 997, 1225, 1236, 10050, 10051, 10052, 10053,
        10054, 10058, 10060, 10061, 10064, 10065, 11001,
    ];

    public static bool IsTemporary(int number) =>
        _temporary.Contains(number) || _noRoom.Contains(number) || _lost.Contains(number);

    public static bool LacksRoom(int number) => _noRoom.Contains(number);

    /// <summary>Whether an error has ended its session.</summary>
    [UnconditionalSuppressMessage(
        "Trimming", "IL2075", Justification = "If the property was trimmed away, the state of the connection shows it.")]
    public static bool IsFatal(Exception failure) =>
        failure.GetType().GetProperty("Class")?.GetValue(failure) is byte and >= FatalClass;

    /// <summary>The number of an exception's first error; null if it has none.</summary>
    // SqlClient stores it there too, where it can be read without reflection.
    public static int? NumberOf(Exception failure) =>
        failure is DbException && failure.Data["HelpLink.EvtID"] is string text
            && int.TryParse(text, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out var number)
            ? number
            : null;
}
