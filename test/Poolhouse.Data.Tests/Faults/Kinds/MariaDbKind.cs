using System.Data.Common;
using System.Globalization;
using MySqlConnector;

namespace Poolhouse.Data.Tests.Faults.Kinds;

internal sealed class MariaDbKind : ServerKind
{
    public override IReadOnlyList<string> Messes { get; } =
    [
        "SET @owner = 'somebody'",
        "START TRANSACTION; SET @owner = 'somebody'",
        "SET @owner = 'somebody'; SET max_statement_time = 1; SET NAMES latin1",
    ];

    // A long time: a KILL that hits a statement at the wrong moment stops the server's other statements for up to two seconds.
    public override bool CancelsOnASession => true;

    public override string LimitStatements => "SET max_statement_time = 0.005";

    // The server lists no name of a program, but the database of each session: each pool gets one of its own.
    public override DbDataSource CreateSource(string connectionString, string sessionName)
    {
        using (var connection = new MySqlConnection(connectionString))
        {
            connection.Open();
            using var command = connection.CreateCommand();
            command.CommandText = $"CREATE DATABASE {sessionName}";
            command.ExecuteNonQuery();
        }

        return new MySqlDataSource(new MySqlConnectionStringBuilder(connectionString)
        {
            Pooling = false,
            AutoEnlist = false,
            Database = sessionName,
            ConnectionTimeout = 30,
            DefaultCommandTimeout = 20,
        }.ConnectionString);
    }

    public override string At(string connectionString, string host, int port) =>
        new MySqlConnectionStringBuilder(connectionString) { Server = host, Port = (uint)port }.ConnectionString;

    public override int PortOf(string connectionString) => (int)new MySqlConnectionStringBuilder(connectionString).Port;

    public override ISessionWatch Watch(string connectionString) => new MariaDbWatch(connectionString);

    public override int SessionOf(DbConnection connection) => ((MySqlConnection)connection).ServerThread;

    public override string SelectNumber(long number) =>
        string.Create(CultureInfo.InvariantCulture, $"SELECT CAST({number} AS SIGNED)");

    public override string Sleep(int seconds) => string.Create(CultureInfo.InvariantCulture, $"SELECT SLEEP({seconds})");

    public override string SelectWithOwner(string text, int milliseconds) => string.Create(
        CultureInfo.InvariantCulture,
        $"SELECT CONVERT(CONCAT('{text}|', IFNULL(@owner, ''), IF(SLEEP({milliseconds} / 1000), 'interrupted', '')) USING " +
        $"utf8mb4)");

    public override bool IsStatementCancelled(DbException failure) =>
        failure is MySqlException { ErrorCode: MySqlErrorCode.QueryInterrupted or (MySqlErrorCode)1969 };

    public override bool IsTimeLimit(Exception failure) => failure is MySqlException { ErrorCode: (MySqlErrorCode)1969 };

    // The server almost always ends such a statement with an error. Of 1,200 statements over their time limit on a busy machine,
    // one had an answer instead: SLEEP returns 1 if it is interrupted.
    public override bool IsInterrupted(object? answer) =>
        answer is 1 or 1L || (answer is string text && text.EndsWith("interrupted", StringComparison.Ordinal));
}
