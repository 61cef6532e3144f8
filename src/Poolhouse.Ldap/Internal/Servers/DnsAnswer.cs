namespace Poolhouse.Ldap.Internal.Servers;

/// <summary>The answer of DNS for the servers of a domain.</summary>
/// <param name="Hosts">"host:port host:port", the most preferred first; null where there is none.</param>
/// <param name="Code">The reason why there is none: a value of <c>h_errno</c>, or -1 if the system does not provide one.</param>
internal readonly record struct DnsAnswer(string? Hosts, int Code)
{
    private const int Answered = 0;
    private const int NoSuchName = 1;
    private const int NameServersFail = 2;
    private const int Refused = 3;
    private const int NoSuchRecord = 4;

    /// <summary>The name servers answered without a server.</summary>
    public bool IsDefinite => Code is Answered or NoSuchName or NoSuchRecord;

    /// <summary>A readable description of the failure.</summary>
    public string Reason => Code switch
    {
        NameServersFail => "the name servers do not answer, or have failed themselves",
        Refused => "the name servers refuse to answer",
        _ => "the system does not say why",
    };
}
