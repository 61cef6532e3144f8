using Poolhouse.Ldap.Internal;
using Poolhouse.Ldap.Internal.Servers;

namespace Poolhouse.Ldap.Tests.Dns;

/// <summary>A DNS whose answers are set, and can be held back, by the test.</summary>
internal sealed class FakeDns
{
    private const int NoSuchName = 1;

    private volatile ManualResetEventSlim _answers = new(initialState: true);
    private int _asked;
    private volatile string? _hosts = "one:389 two:389";

    /// <summary>The number of queries.</summary>
    public int Asked => Volatile.Read(ref _asked);

    /// <summary>Why there is no answer, where there is none.</summary>
    public int Code { get; set; } = NoSuchName;

    /// <summary>The answer; null for none.</summary>
    public string? Hosts
    {
        get => _hosts;
        set => _hosts = value;
    }

    /// <summary>Whether queries are held back.</summary>
    public bool IsHeld => !_answers.IsSet;

    /// <summary>Holds the answers to later queries; each answer is fixed at the moment of its query.</summary>
    /// <returns>What ends the wait.</returns>
    public ManualResetEventSlim Hold() => _answers = new ManualResetEventSlim();

    /// <summary>Answers later queries at once.</summary>
    public void Answer() => _answers = new ManualResetEventSlim(initialState: true);

    public DnsAnswer Ask(string domain)
    {
        Assert.Equal("example.test", domain);
        var answer = new DnsAnswer(Hosts, Hosts is null ? Code : 0);
        var answers = _answers;
        Interlocked.Increment(ref _asked);
        answers.Wait();
        return answer;
    }
}
