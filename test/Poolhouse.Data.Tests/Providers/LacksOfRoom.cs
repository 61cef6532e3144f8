using System.Data.Common;
using OracleClient = Oracle.ManagedDataAccess.Client;
using SqlClient = Microsoft.Data.SqlClient;

namespace Poolhouse.Data.Tests.Providers;

/// <summary>The errors with which servers refuse one session too many; those of PostgreSQL, MariaDB are in FullServers.</summary>
public sealed class LacksOfRoom
{
    [Theory]
    [InlineData(10928, true)]
    [InlineData(10936, true)]
    [InlineData(17809, true)]
    [InlineData(18456, false)]
    public void Those_of_SQL_Server_are_recognized_by_their_number(int number, bool isRoom) =>
        AssertRoom(isRoom, new SqlClient.NumberedException(number));

    [Theory]
    [InlineData(18, true)]
    [InlineData(20, true)]
    [InlineData(2391, true)]
    [InlineData(12516, true)]
    [InlineData(12519, true)]
    [InlineData(12520, true)]
    [InlineData(1017, false)]
    public void Those_of_Oracle_are_recognized_by_their_number(int number, bool isRoom) =>
        AssertRoom(isRoom, new OracleClient.NumberedException(number));

    private static void AssertRoom(bool expected, DbException refusal) =>
        Assert.Equal(expected, DbErrorClassifier.Default.LacksRoom(refusal));
}
