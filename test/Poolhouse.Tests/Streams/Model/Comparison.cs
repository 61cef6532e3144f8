namespace Poolhouse.Tests.Streams.Model;

/// <summary>Applies the same calls to two streams and compares their visible state after each step.</summary>
internal sealed class Comparison
{
    private byte[] _expectedContent = new byte[1024];
    private byte[] _actualContent = new byte[1024];

    /// <summary>How many calls were compared.</summary>
    public long Steps { get; private set; }

    public void Run(IEnumerable<StreamMove> moves, Subject expected, Subject actual)
    {
        var last = "the begin";
        AssertSameState(last, expected, actual);
        foreach (var move in moves)
        {
            var before = expected.ShowState();
            last = $"{move} on {before}";
            var wanted = Wanted(move, expected);
            var outcome = StreamPlay.Do(move, actual);
            Assert.True(string.Equals(wanted, outcome, StringComparison.Ordinal), $"{last}: {outcome}, but should be: {wanted}");
            AssertSameState(last, expected, actual);
            Steps++;
        }
    }

    /// <summary>
    /// Executes the call. After disposal, only the framework's stream shows its content: here it may belong to the next user.
    /// </summary>
    private static string Wanted(StreamMove move, Subject expected)
    {
        var wasEnded = expected.IsEnded;
        var outcome = StreamPlay.Do(move, expected);
        return wasEnded && move.Call is StreamCall.ToArray or StreamCall.GetBuffer or StreamCall.TryGetBuffer
            ? $"throws {nameof(ObjectDisposedException)}"
            : outcome;
    }

    private void AssertSameState(string last, Subject expected, Subject actual)
    {
        var (wanted, seen) = (expected.ShowState(), actual.ShowState());
        Assert.True(string.Equals(wanted, seen, StringComparison.Ordinal), $"After {last}: {seen}, but should be: {wanted}");
        if (expected.IsEnded)
        {
            return;
        }

        var length = checked((int)expected.Stream.Length);
        if (_expectedContent.Length < length)
        {
            _expectedContent = new byte[length * 2];
            _actualContent = new byte[length * 2];
        }

        expected.ReadContent(_expectedContent.AsSpan(0, length));
        actual.ReadContent(_actualContent.AsSpan(0, length));
        var same = _expectedContent.AsSpan(0, length).CommonPrefixLength(_actualContent.AsSpan(0, length));
        Assert.True(same == length, $"After {last}: the content differs from byte {same} of {length} on.");
    }
}
