namespace Poolhouse.Tool.Advise.Sampling;

/// <summary>A server that receives HTTP requests.</summary>
internal sealed record HttpHost(string Name, int Requests, Occurrences Connections);
