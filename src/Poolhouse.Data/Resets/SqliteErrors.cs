using System.Data.Common;
using System.Diagnostics.CodeAnalysis;

namespace Poolhouse.Data.Resets;

/// <summary>The result codes of SQLite, which its providers report in properties of their own.</summary>
internal static class SqliteErrors
{
    private const int PrimaryCode = 0xFF;
    private const int IoError = 10;
    private const int Corrupt = 11;
    private const int NotADatabase = 26;
    private const int ReadOnlyDatabaseMoved = 1032;

    /// <summary>
    /// Whether the connection cannot use its file any more: it was deleted, replaced or damaged. Another connection opens the
    /// current file.
    /// </summary>
    public static bool AreAboutFile(DbException failure) =>
        CodeOf(failure) is { } code
        && (code is ReadOnlyDatabaseMoved || (code & PrimaryCode) is IoError or Corrupt or NotADatabase);

    [UnconditionalSuppressMessage(
        "Trimming", "IL2075", Justification = "If the property was trimmed away, the connection stays until it is cleared.")]
    private static int? CodeOf(DbException failure) => failure.GetType() switch
    {
        { Name: "SqliteException" } type => type.GetProperty("SqliteExtendedErrorCode")?.GetValue(failure) as int?,
        { Name: "SQLiteException" } => failure.ErrorCode,
        _ => null,
    };
}
