using System.Data.Common;
using Poolhouse.Data.Tests.Fakes;
using Poolhouse.Data.Tests.Faults;

namespace Poolhouse.Data.Tests.Wrappers;

/// <summary>
/// A connection that is closed while another thread is inside its reader is its user's mistake. The rule: the pool touches the
/// reader only after that call has ended, and no other caller gets the connection (I1, I9).
/// </summary>
public sealed class ConcurrentReaderUse
{
    private static readonly Dictionary<string, Func<DbDataReader, object?>> _reads = new(StringComparer.Ordinal)
    {
        ["Read"] = static reader => reader.Read(),
        ["ReadAsync"] = static reader => reader.ReadAsync().GetAwaiter().GetResult(),
        ["NextResult"] = static reader => reader.NextResult(),
        ["NextResultAsync"] = static reader => reader.NextResultAsync().GetAwaiter().GetResult(),
        ["this[int]"] = static reader => reader[0],
        ["this[string]"] = static reader => reader["n"],
        ["GetBoolean"] = static reader => reader.GetBoolean(0),
        ["GetByte"] = static reader => reader.GetByte(0),
        ["GetBytes"] = static reader => reader.GetBytes(0, 0, null, 0, 0),
        ["GetChar"] = static reader => reader.GetChar(0),
        ["GetChars"] = static reader => reader.GetChars(0, 0, null, 0, 0),
        ["GetData"] = static reader => reader.GetData(0),
        ["GetDateTime"] = static reader => reader.GetDateTime(0),
        ["GetDecimal"] = static reader => reader.GetDecimal(0),
        ["GetDouble"] = static reader => reader.GetDouble(0),
        ["GetFieldValue"] = static reader => reader.GetFieldValue<int>(0),
        ["GetFieldValueAsync"] = static reader => reader.GetFieldValueAsync<int>(0).GetAwaiter().GetResult(),
        ["GetFieldValue of a stream"] = static reader => reader.GetFieldValue<Stream>(0),
        ["GetFieldValueAsync of a stream"] = static reader => reader.GetFieldValueAsync<Stream>(0).GetAwaiter().GetResult(),
        ["GetFieldValue of a text reader"] = static reader => reader.GetFieldValue<TextReader>(0),
        ["GetFieldValueAsync of a text reader"] =
            static reader => reader.GetFieldValueAsync<TextReader>(0).GetAwaiter().GetResult(),
        ["GetFloat"] = static reader => reader.GetFloat(0),
        ["GetGuid"] = static reader => reader.GetGuid(0),
        ["GetInt16"] = static reader => reader.GetInt16(0),
        ["GetInt32"] = static reader => reader.GetInt32(0),
        ["GetInt64"] = static reader => reader.GetInt64(0),
        ["GetProviderSpecificValue"] = static reader => reader.GetProviderSpecificValue(0),
        ["GetProviderSpecificValues"] = static reader => reader.GetProviderSpecificValues(new object[1]),
        ["GetSchemaTable"] = static reader => reader.GetSchemaTable(),
        ["GetStream"] = static reader => reader.GetStream(0),
        ["GetString"] = static reader => reader.GetString(0),
        ["GetTextReader"] = static reader => reader.GetTextReader(0),
        ["GetValue"] = static reader => reader.GetValue(0),
        ["GetValues"] = static reader => reader.GetValues(new object[1]),
        ["IsDBNull"] = static reader => reader.IsDBNull(0),
        ["IsDBNullAsync"] = static reader => reader.IsDBNullAsync(0).GetAwaiter().GetResult(),
    };

    public static TheoryData<string> Reads => new(_reads.Keys);

    [Theory]
    [MemberData(nameof(Reads))]
    public async Task A_reader_in_use_is_not_touched_until_the_call_ends_and_its_connection_is_not_reused(string read)
    {
        using var db = new FakeDb();
        using var inside = new ManualResetEventSlim();
        using var goOn = new ManualResetEventSlim();
        await using var source = PooledDataSource.Create(db, FakeDb.OneConnection());
        var connection = source.OpenConnection();
        var reader = connection.CreateCommand().ExecuteReader();
        Assert.True(reader.Read());
        db.BeforeReading = () =>
        {
            inside.Set();
            goOn.Wait(TestContext.Current.CancellationToken);
        };
        var reading = Task.Factory.StartNew(
            () => Record.Exception(() => _reads[read](reader)), CancellationToken.None, TaskCreationOptions.LongRunning,
            TaskScheduler.Default);
        inside.Wait(TestContext.Current.CancellationToken);
        db.BeforeReading = null;

        connection.Close();
        Assert.Equal(0, db.CountOf("reader.Close"));
        Assert.Equal(0, db.CountOf("connection.Close"));

        // Its capacity is not free before it is closed.
        var next = source.OpenConnectionAsync(TestContext.Current.CancellationToken).AsTask();
        Assert.False(next.IsCompleted);
        Assert.Equal(0, db.CountOf("reader.Close"));
        goOn.Set();
        await Patience.WithinAsync(reading);
        await using var other = await Patience.WithinAsync(next);

        Assert.NotSame(db.Connections[0], Provider.Of<FakeConnection>(other));
        Assert.Equal(1, db.CountOf("connection.Close"));
        Assert.Equal(0, db.Collisions);
        Assert.True(reader.IsClosed);
        Assert.Throws<InvalidOperationException>(() => reader.Read());
    }

    [Fact]
    public async Task A_connection_whose_reader_is_just_being_closed_is_not_reused()
    {
        using var db = new FakeDb();
        using var inside = new ManualResetEventSlim();
        using var goOn = new ManualResetEventSlim();
        await using var source = PooledDataSource.Create(db, FakeDb.OneConnection());
        var connection = source.OpenConnection();
        var reader = connection.CreateCommand().ExecuteReader();
        db.AfterClosing = () =>
        {
            inside.Set();
            goOn.Wait(TestContext.Current.CancellationToken);
        };
        var closing = Task.Factory.StartNew(
            reader.Close, CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);
        inside.Wait(TestContext.Current.CancellationToken);
        db.AfterClosing = null;

        connection.Close();
        var next = source.OpenConnectionAsync(TestContext.Current.CancellationToken).AsTask();
        Assert.False(next.IsCompleted);
        goOn.Set();
        await Patience.WithinAsync(closing);
        await using var other = await Patience.WithinAsync(next);

        Assert.NotSame(db.Connections[0], Provider.Of<FakeConnection>(other));
        Assert.Equal((1, 0), (db.CountOf("reader.Close"), db.Collisions));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_reader_whose_connection_is_closed_while_it_is_executed_is_closed(bool async)
    {
        using var db = new FakeDb();
        using var inside = new ManualResetEventSlim();
        using var goOn = new ManualResetEventSlim();
        await using var source = PooledDataSource.Create(db, FakeDb.OneConnection());
        var connection = source.OpenConnection();
        var command = connection.CreateCommand();
        db.Before["command.Reader"] = () =>
        {
            inside.Set();
            goOn.Wait(TestContext.Current.CancellationToken);
        };
        var executing = Task.Factory.StartNew(
            () => async ? command.ExecuteReaderAsync().GetAwaiter().GetResult() : command.ExecuteReader(),
            CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);
        inside.Wait(TestContext.Current.CancellationToken);

        connection.Close();
        goOn.Set();
        var reader = await Patience.WithinAsync(executing);

        Assert.True(reader.IsClosed);
        Assert.Throws<InvalidOperationException>(() => reader.Read());
        await using var other = await Patience.WithinAsync(
            source.OpenConnectionAsync(TestContext.Current.CancellationToken).AsTask());
        Assert.NotSame(db.Connections[0], Provider.Of<FakeConnection>(other));
        Assert.Equal((1, 0), (db.CountOf("connection.Close"), db.Collisions));
    }

    [Theory]
    [InlineData("GetStream")]
    [InlineData("GetTextReader")]
    [InlineData("GetFieldValue of a stream")]
    [InlineData("GetFieldValueAsync of a stream")]
    [InlineData("GetFieldValue of a text reader")]
    [InlineData("GetFieldValueAsync of a text reader")]
    public async Task A_connection_whose_reader_exposed_a_stream_is_not_reused(string read)
    {
        using var db = new FakeDb();
        await using var source = PooledDataSource.Create(db, FakeDb.OneConnection());
        var connection = source.OpenConnection();
        var reader = connection.CreateCommand().ExecuteReader();
        Assert.True(reader.Read());
        _ = _reads[read](reader);
        connection.Close();
        await using var other = source.OpenConnection();

        Assert.NotSame(db.Connections[0], Provider.Of<FakeConnection>(other));
    }
}
