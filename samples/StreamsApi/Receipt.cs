namespace Poolhouse.Samples.StreamsApi;

/// <summary>What an upload is answered with.</summary>
/// <param name="Length">How many bytes came.</param>
/// <param name="Sha256">Their hash, in hexadecimal digits.</param>
public sealed record Receipt(long Length, string Sha256);
