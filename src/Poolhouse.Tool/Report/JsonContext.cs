using System.Text.Json.Serialization;

namespace Poolhouse.Tool.Report;

/// <summary>The serializers, made when the tool is compiled.</summary>
[JsonSourceGenerationOptions(WriteIndented = true, PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase)]
[JsonSerializable(typeof(JsonDocumentModel))]
internal sealed partial class JsonContext : JsonSerializerContext;
